"""Risks: each is a problem of severity `risk`, unless it is accepted."""

from kafka_census.declarations.problem import Problem, Problems, Remedy


def _risk(word: str, meaning: str, one: str, many: str, effect: str, remedy: Remedy) -> Problem:
    return Problem(
        word=word,
        severity="risk",
        table="risks",
        meaning=meaning,
        where=f"risk = '{word}' AND state = 'open'",
        unknown=f"coalesce(risk, '{word}') = '{word}' AND coalesce(state, 'unknown') = 'unknown'",
        name="coalesce(nullif(name, ''), 'the cluster')",
        shown="risk, name, detail, state, reason",
        one=one,
        many=many,
        effect=effect,
        remedy=remedy,
        order=("-coalesce(affected, 0)", "name"),
    )


_DESCRIBE = "kafka-topics.sh --bootstrap-server HOST:PORT --describe --topic NAME"
_REASSIGN = "kafka-reassign-partitions.sh --bootstrap-server HOST:PORT --reassignment-json-file FILE --execute"
_OF_TOPIC = ("name",)

RISKS_PROBLEMS = Problems(
    "risk",
    "risks",
    (
        _risk(
            "one_replica",
            "topics with partitions of one replica",
            "topic has partitions with one replica",
            "topics have partitions with one replica",
            "each loss or restart of their broker takes them offline, and a lost disk takes their records",
            Remedy(
                "Give the partitions more replicas, by a reassignment that names them.",
                _REASSIGN,
                more="Tools that raise the replication factor, such as Cruise Control, write that file.",
            ),
        ),
        _risk(
            "no_replica_to_spare",
            "topics whose minimum ISR is their number of replicas",
            "topic has no replica to spare",
            "topics have no replica to spare",
            "the loss or restart of any replica stops acks=all writes",
            Remedy(
                "Lower min.insync.replicas below the number of replicas, or add a replica.",
                "kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name NAME "
                "--add-config min.insync.replicas=NUMBER",
                more="Two of three is usual.",
                fills=_OF_TOPIC,
            ),
        ),
        _risk(
            "min_isr_one",
            "topics with several replicas and a minimum ISR of 1",
            "topic takes acks=all writes that one broker has",
            "topics take acks=all writes that one broker has",
            "a write that only the leader has is acknowledged, and lost with that broker",
            Remedy(
                "Raise min.insync.replicas to 2 where the topic has three replicas.",
                "kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name NAME "
                "--add-config min.insync.replicas=2",
                more="With two replicas, 2 leaves none to spare.",
                fills=_OF_TOPIC,
            ),
        ),
        _risk(
            "unclean_election",
            "topics that let a replica outside of the ISR become the leader",
            "topic allows unclean elections",
            "topics allow unclean elections",
            "records that were acknowledged may be lost without an error",
            Remedy(
                "Forbid unclean elections, unless the topic's records may be lost.",
                "kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics --entity-name NAME "
                "--add-config unclean.leader.election.enable=false",
                more="`detail` says whether the topic or its brokers set it.",
                fills=_OF_TOPIC,
            ),
        ),
        _risk(
            "one_rack",
            "topics with partitions of which one rack has every replica",
            "topic has partitions in one rack",
            "topics have partitions in one rack",
            "the loss of that rack takes them offline",
            Remedy(
                "Move replicas to other racks.",
                _REASSIGN,
                more="`kafka-reassign-partitions.sh --generate` spreads replicas over racks.",
            ),
        ),
        _risk(
            "one_coordinator",
            "internal topics with partitions of one replica in sync",
            "internal topic has partitions that one broker can coordinate",
            "internal topics have partitions that one broker can coordinate",
            "with that broker, their groups or transactional ids lose their only coordinator",
            Remedy(
                "Bring the other replicas back in sync, or add replicas.",
                _DESCRIBE,
                more="`current_partitions` has the replicas and the ISR of each partition.",
                fills=_OF_TOPIC,
            ),
        ),
        _risk(
            "few_internal_replicas",
            "internal topics with fewer replicas than `risks.internal_replicas`",
            "internal topic has few replicas",
            "internal topics have few replicas",
            "groups and transactions stop while one broker is down and another is restarted",
            Remedy(
                "Add replicas to the internal topic, by a reassignment.",
                _REASSIGN,
                more="`offsets.topic.replication.factor` and its kin count only when the topic is made.",
            ),
        ),
        _risk(
            "no_voter_to_spare",
            "metadata quorums that lose their majority with one more voter",
            "metadata quorum has no voter to spare",
            "metadata quorums have no voter to spare",
            "without a majority no leader is elected and no topic is created",
            Remedy(
                "Start the voters that are not caught up, or add controllers.",
                "kafka-metadata-quorum.sh --bootstrap-server HOST:PORT describe --status",
                more="Three voters survive the loss of one, five that of two.",
            ),
        ),
        _risk(
            "leaders_away",
            "brokers of whose partitions others lead more than `risks.leaders_away`",
            "broker has its leaders elsewhere",
            "brokers have their leaders elsewhere",
            "the other brokers carry its load, as after a restart",
            Remedy(
                "Let each partition be led by its preferred replica again.",
                "kafka-leader-election.sh --bootstrap-server HOST:PORT --election-type PREFERRED "
                "--all-topic-partitions",
                more="`auto.leader.rebalance.enable` does that by itself, every five minutes.",
            ),
        ),
        _risk(
            "disk_filling",
            "log dirs that use more of their volume than `risks.disk_used`",
            "log dir is filling",
            "log dirs are filling",
            "a full volume takes the log dir offline, and replicas of a lost broker have no room",
            Remedy(
                "Shorten the retention of the largest topics, move replicas, or enlarge the volume.",
                'kafka-census sql -e "SELECT * FROM topics ORDER BY replica_bytes DESC LIMIT 20"',
                more="See also [disk_low](#disk_low).",
            ),
        ),
        _risk(
            "moves_do_not_fit",
            "brokers to which running moves bring more than their log dirs have free",
            "broker gets more than it has room for",
            "brokers get more than they have room for",
            "the moves will fill its volumes, which takes log dirs offline",
            Remedy(
                "Cancel moves to the broker, or make room there.",
                "kafka-reassign-partitions.sh --bootstrap-server HOST:PORT --reassignment-json-file FILE --cancel",
                more="`current_reassignment_backlog` names the partitions and what is left of each.",
            ),
        ),
        _risk(
            "mixed_releases",
            "clusters whose brokers differ in their release or in the features that they support",
            "cluster runs mixed releases",
            "clusters run mixed releases",
            "features of the newer release stay off, and an upgrade is not finished",
            Remedy(
                "Finish the upgrade, broker by broker, and then raise the finalized features.",
                "kafka-features.sh --bootstrap-server HOST:PORT describe",
                more="`current_brokers` has the release and the features of each broker.",
            ),
        ),
        _risk(
            "dangerous_grants",
            "principals with dangerous ACLs",
            "principal has dangerous grants",
            "principals have dangerous grants",
            "more may be done by them, or in their name, than somebody meant",
            Remedy(
                "Narrow the grants that `acl_inventory` calls dangerous.",
                "kafka-acls.sh --bootstrap-server HOST:PORT --list --principal NAME",
                more="`dangers` of `current_acl_inventory` says which rule each entry breaks.",
                fills=_OF_TOPIC,
            ),
        ),
        _risk(
            "no_authorizer",
            "clusters without an authorizer",
            "cluster has no authorizer",
            "clusters have no authorizer",
            "whoever reaches a broker may read, write and delete everything",
            Remedy(
                "Configure an authorizer, with ACLs for the principals that you have.",
                "kafka-acls.sh --bootstrap-server HOST:PORT --list",
                more="On a cluster that is meant to be open, accept the risk in `risks.accept`.",
            ),
        ),
        _risk(
            "crowded_broker",
            "brokers with more replicas than `risks.partitions_per_broker`",
            "broker has more replicas than it should",
            "brokers have more replicas than they should",
            "restarts and fail-overs take minutes",
            Remedy(
                "Move replicas to other brokers, add brokers, or merge small topics.",
                _REASSIGN,
                more="`risks.partitions_per_broker` is your own figure; the default is 4,000.",
            ),
        ),
    ),
)
