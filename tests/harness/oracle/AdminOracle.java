import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.UserScramCredentialsDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;

/**
 * What Kafka's own AdminClient says about a cluster, as JSON lines on stdout; the oracle of our tests.
 *
 * Arguments: a file of client properties, then kinds of `KINDS`, or of those of the other oracles.
 * Each line has `kind` and that kind's fields.
 * What could not be read is a line with `error`, the simple name of Kafka's exception.
 * Compiled in memory by the Janino that ships with Spark, so that a Java runtime without a compiler will do:
 * Janino ignores type arguments, hence the casts, and knows no lambdas.
 */
public class AdminOracle extends Lines {
    private static final List KINDS =
        Arrays.asList(
            new Object[] {
                "cluster", "group", "coordinator", "partition", "config", "reassignment", "log_dir",
                "transaction", "acl", "quota", "scram_user", "config_resource", "quorum"});
    private static final List OF_BROKERS = Arrays.asList(new Object[] {"node", "feature", "volume", "config_entry"});
    private static final List OF_NEW_GROUPS =
        Arrays.asList(new Object[] {"share_member", "streams_member", "share_offset"});

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileInputStream(args[0]));
        Admin admin = AdminClient.create(properties);
        try {
            Asking[] asked = new Asking[args.length - 1];
            for (int i = 0; i < asked.length; i++) asked[i] = new Asking(admin, args[i + 1]);
            for (int i = 0; i < asked.length; i++) asked[i].start();
            for (int i = 0; i < asked.length; i++) asked[i].join();
            for (int i = 0; i < asked.length; i++) if (asked[i].failure != null) throw asked[i].failure;
        } finally {
            admin.close();
        }
    }

    /** One kind in a thread of its own: what nobody answers is waited for once, not once per kind. */
    static class Asking extends Thread {
        private final Admin admin;
        private final String kind;
        Exception failure;

        Asking(Admin admin, String kind) {
            this.admin = admin;
            this.kind = kind;
        }

        public void run() {
            try {
                answer(admin, kind);
            } catch (Exception error) {
                failure = error;
            }
        }
    }

    /** A kind, or one line with `error` for what was refused as a whole, such as all ACLs to a narrow principal. */
    static void answer(Admin admin, String kind) throws Exception {
        try {
            if (GroupOracle.KINDS.contains(kind)) GroupOracle.ask(admin, kind);
            else if (OF_NEW_GROUPS.contains(kind)) askOf("NewGroupOracle", admin, kind);
            else if (PartitionOracle.KINDS.contains(kind)) PartitionOracle.ask(admin, kind);
            else if (OF_BROKERS.contains(kind)) askOf("BrokerOracle", admin, kind);
            else if (KINDS.contains(kind)) ask(admin, kind);
            else throw new IllegalArgumentException("no kind " + kind);
        } catch (ExecutionException error) {
            if (!(error.getCause() instanceof AuthorizationException)) throw error;
            print(failed(row(kind), error.getCause()));
        }
    }

    /** A source that not every client can compile, by its name: it is compiled where it is asked. */
    private static void askOf(String source, Admin admin, String kind) throws Exception {
        Class[] types = new Class[] {Admin.class, String.class};
        called(source, "ask", types, new Object[] {admin, kind});
    }

    private static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("cluster")) cluster(admin);
        if (kind.equals("group")) groups(admin);
        if (kind.equals("coordinator")) coordinators(admin);
        if (kind.equals("partition")) partitions(admin);
        if (kind.equals("config")) configs(admin);
        if (kind.equals("reassignment")) reassignments(admin);
        if (kind.equals("log_dir")) logDirs(admin);
        if (kind.equals("transaction")) transactions(admin);
        if (kind.equals("acl")) acls(admin);
        if (kind.equals("quota")) quotas(admin);
        if (kind.equals("scram_user")) scramUsers(admin);
        if (kind.equals("config_resource")) configResources(admin);
        if (kind.equals("quorum")) quorum(admin);
    }

    private static void cluster(Admin admin) throws Exception {
        DescribeClusterResult result = admin.describeCluster();
        Map row = row("cluster");
        row.put("cluster_id", result.clusterId().get());
        row.put("controller", id((Node) result.controller().get()));
        row.put("nodes", ids((Collection) result.nodes().get()));
        print(row);
    }

    private static void groups(Admin admin) throws Exception {
        for (Object each : (Collection) admin.listGroups().valid().get()) {
            GroupListing group = (GroupListing) each;
            Map row = row("group");
            row.put("group_id", group.groupId());
            row.put("protocol_type", group.protocol());
            row.put("group_type", text(group.type()));
            row.put("group_state", text(group.groupState()));
            print(row);
        }
        for (Object error : (Collection) admin.listGroups().errors().get()) print(failed(row("group"), (Throwable) error));
    }

    private static void coordinators(Admin admin) throws Exception {
        List names = new ArrayList();
        for (Object each : (Collection) admin.listGroups().valid().get()) names.add(((GroupListing) each).groupId());
        Map futures = admin.describeConsumerGroups(names).describedGroups();
        for (Object name : names) {
            Map row = row("coordinator");
            row.put("group_id", name);
            try {
                ConsumerGroupDescription group = (ConsumerGroupDescription) ((KafkaFuture) futures.get(name)).get();
                row.put("coordinator", id(group.coordinator()));
                row.put("group_state", group.groupState().toString());
                row.put("members", Integer.valueOf(group.members().size()));
            } catch (ExecutionException error) {
                failed(row, error.getCause());
            }
            print(row);
        }
    }

    private static Collection topics(Admin admin) throws Exception {
        return (Collection) admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
    }

    private static void partitions(Admin admin) throws Exception {
        Map described = (Map) admin.describeTopics(topics(admin)).allTopicNames().get();
        for (Object each : described.values()) {
            TopicDescription topic = (TopicDescription) each;
            for (Object one : topic.partitions()) {
                TopicPartitionInfo partition = (TopicPartitionInfo) one;
                Map row = row("partition");
                row.put("topic", topic.name());
                row.put("topic_id", topic.topicId().toString());
                row.put("is_internal", Boolean.valueOf(topic.isInternal()));
                row.put("partition", Integer.valueOf(partition.partition()));
                row.put("leader", id(partition.leader()));
                row.put("replicas", ids(partition.replicas()));
                row.put("isr", ids(partition.isr()));
                row.put("elr", ids(partition.elr()));
                row.put("last_known_elr", ids(partition.lastKnownElr()));
                print(row);
            }
        }
    }

    private static void configs(Admin admin) throws Exception {
        List resources = new ArrayList();
        for (Object topic : topics(admin)) resources.add(new ConfigResource(ConfigResource.Type.TOPIC, (String) topic));
        for (Object node : (Collection) admin.describeCluster().nodes().get())
            resources.add(new ConfigResource(ConfigResource.Type.BROKER, ((Node) node).idString()));
        Map futures = admin.describeConfigs(resources).values();
        for (Object each : resources) {
            ConfigResource resource = (ConfigResource) each;
            Map row = row("config");
            row.put("resource_type", resource.type().toString().toLowerCase());
            row.put("resource_name", resource.name());
            try {
                Config config = (Config) ((KafkaFuture) futures.get(resource)).get();
                ConfigEntry entry = config.get("min.insync.replicas");
                row.put("name", entry.name());
                row.put("value", entry.value());
                row.put("source", entry.source().toString());
            } catch (ExecutionException error) {
                failed(row, error.getCause());
            }
            print(row);
        }
    }

    private static void reassignments(Admin admin) throws Exception {
        Map moving = (Map) admin.listPartitionReassignments().reassignments().get();
        for (Object each : moving.entrySet()) {
            TopicPartition partition = (TopicPartition) ((Map.Entry) each).getKey();
            PartitionReassignment reassignment = (PartitionReassignment) ((Map.Entry) each).getValue();
            Map row = row("reassignment");
            row.put("topic", partition.topic());
            row.put("partition", Integer.valueOf(partition.partition()));
            row.put("replicas", reassignment.replicas());
            row.put("adding_replicas", reassignment.addingReplicas());
            row.put("removing_replicas", reassignment.removingReplicas());
            print(row);
        }
    }

    private static void logDirs(Admin admin) throws Exception {
        Collection nodes = ids((Collection) admin.describeCluster().nodes().get());
        Map futures = admin.describeLogDirs(nodes).descriptions();
        for (Object node : nodes) {
            try {
                Map folders = (Map) ((KafkaFuture) futures.get(node)).get();
                for (Object each : folders.entrySet()) logDir(node, (Map.Entry) each);
            } catch (ExecutionException error) {
                Map row = row("log_dir");
                row.put("node_id", node);
                print(failed(row, error.getCause()));
            }
        }
    }

    private static void logDir(Object node, Map.Entry folder) throws Exception {
        Map replicas = ((LogDirDescription) folder.getValue()).replicaInfos();
        for (Object each : replicas.entrySet()) {
            TopicPartition partition = (TopicPartition) ((Map.Entry) each).getKey();
            ReplicaInfo replica = (ReplicaInfo) ((Map.Entry) each).getValue();
            Map row = row("log_dir");
            row.put("node_id", node);
            row.put("log_dir", folder.getKey());
            row.put("topic", partition.topic());
            row.put("partition", Integer.valueOf(partition.partition()));
            row.put("size", Long.valueOf(replica.size()));
            row.put("offset_lag", Long.valueOf(replica.offsetLag()));
            row.put("is_future", Boolean.valueOf(replica.isFuture()));
            print(row);
        }
    }

    private static void transactions(Admin admin) throws Exception {
        for (Object each : ((Map) admin.listTransactions().allByBrokerId().get()).entrySet()) {
            for (Object one : (Collection) ((Map.Entry) each).getValue()) {
                TransactionListing listing = (TransactionListing) one;
                Map row = row("transaction");
                row.put("node_id", ((Map.Entry) each).getKey());
                row.put("transactional_id", listing.transactionalId());
                row.put("producer_id", Long.valueOf(listing.producerId()));
                row.put("transaction_state", listing.state().toString());
                print(row);
            }
        }
    }

    private static void acls(Admin admin) throws Exception {
        for (Object each : (Collection) admin.describeAcls(AclBindingFilter.ANY).values().get()) {
            AclBinding binding = (AclBinding) each;
            Map row = row("acl");
            row.put("resource_type", binding.pattern().resourceType().toString().toLowerCase());
            row.put("resource_name", binding.pattern().name());
            row.put("pattern_type", binding.pattern().patternType().toString().toLowerCase());
            row.put("principal", binding.entry().principal());
            row.put("host", binding.entry().host());
            row.put("operation", binding.entry().operation().toString().toLowerCase());
            row.put("permission", binding.entry().permissionType().toString().toLowerCase());
            print(row);
        }
    }

    private static void quotas(Admin admin) throws Exception {
        Map found = (Map) admin.describeClientQuotas(ClientQuotaFilter.all()).entities().get();
        for (Object each : found.entrySet()) {
            ClientQuotaEntity entity = (ClientQuotaEntity) ((Map.Entry) each).getKey();
            for (Object one : ((Map) ((Map.Entry) each).getValue()).entrySet()) {
                Map row = row("quota");
                row.put("entity", entity.entries());
                row.put("key", ((Map.Entry) one).getKey());
                row.put("value", ((Map.Entry) one).getValue());
                print(row);
            }
        }
    }

    private static void scramUsers(Admin admin) throws Exception {
        for (Object each : ((Map) admin.describeUserScramCredentials().all().get()).values()) {
            UserScramCredentialsDescription user = (UserScramCredentialsDescription) each;
            for (Object one : user.credentialInfos()) {
                ScramCredentialInfo info = (ScramCredentialInfo) one;
                Map row = row("scram_user");
                row.put("user", user.name());
                row.put("mechanism", info.mechanism().mechanismName());
                row.put("iterations", Integer.valueOf(info.iterations()));
                print(row);
            }
        }
    }

    private static void configResources(Admin admin) throws Exception {
        KafkaFuture all = (KafkaFuture) ifThere(ifThere(admin, "listConfigResources"), "all");
        for (Object each : (Collection) all.get()) {
            ConfigResource resource = (ConfigResource) each;
            Map row = row("config_resource");
            row.put("resource_type", resource.type().toString().toLowerCase());
            row.put("resource_name", resource.name());
            print(row);
        }
    }

    private static void quorum(Admin admin) throws Exception {
        QuorumInfo quorum = (QuorumInfo) admin.describeMetadataQuorum().quorumInfo().get();
        for (Object voter : quorum.voters()) print(replica(quorum, (QuorumInfo.ReplicaState) voter, true));
        for (Object observer : quorum.observers()) print(replica(quorum, (QuorumInfo.ReplicaState) observer, false));
    }

    private static Map replica(QuorumInfo quorum, QuorumInfo.ReplicaState replica, boolean isVoter) {
        Map row = row("quorum");
        row.put("leader_id", Integer.valueOf(quorum.leaderId()));
        row.put("leader_epoch", Long.valueOf(quorum.leaderEpoch()));
        row.put("replica_id", Integer.valueOf(replica.replicaId()));
        Uuid directory = replica.replicaDirectoryId();
        row.put("replica_directory_id", Uuid.ZERO_UUID.equals(directory) ? null : directory.toString());
        row.put("is_voter", Boolean.valueOf(isVoter));
        row.put("high_watermark", Long.valueOf(quorum.highWatermark()));
        row.put("log_end_offset", Long.valueOf(replica.logEndOffset()));
        row.put("last_fetch_ms", known(replica.lastFetchTimestamp()));
        row.put("last_caught_up_ms", known(replica.lastCaughtUpTimestamp()));
        return row;
    }

    private static Long known(OptionalLong time) {
        return time.isPresent() ? Long.valueOf(time.getAsLong()) : null;
    }
}
