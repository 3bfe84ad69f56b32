import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ClassicGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Groups of every type: their members, offsets and coordinators, one line each.
 *
 * A group without members or offsets is one line with null for them. A group is of the type that ListGroups
 * says, classic where it says none.
 */
public class GroupOracle extends Lines {
    static final List KINDS =
        Arrays.asList(
            new Object[] {
                "classic_member", "consumer_member", "share_member", "streams_member", "group_offset", "share_offset",
                "group_coordinator"});

    static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("classic_member")) classicMembers(admin);
        if (kind.equals("consumer_member")) consumerMembers(admin);
        if (kind.equals("share_member")) shareMembers(admin);
        if (kind.equals("streams_member")) streamsMembers(admin);
        if (kind.equals("group_offset")) offsets(admin);
        if (kind.equals("share_offset")) shareOffsets(admin);
        if (kind.equals("group_coordinator")) coordinators(admin);
    }

    private static List named(Admin admin, GroupType wanted) throws Exception {
        List names = new ArrayList();
        for (Object each : (Collection) admin.listGroups().all().get()) {
            GroupListing group = (GroupListing) each;
            if (group.type().orElse(GroupType.CLASSIC) == wanted) names.add(group.groupId());
        }
        return names;
    }

    private static Map described(Admin admin, GroupType type) throws Exception {
        List names = named(admin, type);
        if (type == GroupType.SHARE) return admin.describeShareGroups(names).describedGroups();
        if (type == GroupType.STREAMS) return admin.describeStreamsGroups(names).describedGroups();
        if (type == GroupType.CONSUMER) return admin.describeConsumerGroups(names).describedGroups();
        return admin.describeClassicGroups(names).describedGroups();
    }

    private static void classicMembers(Admin admin) throws Exception {
        for (Object future : described(admin, GroupType.CLASSIC).values()) {
            ClassicGroupDescription group = (ClassicGroupDescription) ((KafkaFuture) future).get();
            Map head = row("classic_member");
            head.put("group_id", group.groupId());
            head.put("group_state", group.state().toString());
            head.put("protocol_type", group.protocol());
            head.put("protocol", group.protocolData());
            printMembers(head, group.members(), "group_instance_id");
        }
    }

    private static void consumerMembers(Admin admin) throws Exception {
        for (Object future : described(admin, GroupType.CONSUMER).values()) {
            ConsumerGroupDescription group = (ConsumerGroupDescription) ((KafkaFuture) future).get();
            Map head = row("consumer_member");
            head.put("group_id", group.groupId());
            head.put("group_state", group.groupState().toString());
            head.put("group_epoch", group.groupEpoch().orElse(null));
            head.put("assignment_epoch", group.targetAssignmentEpoch().orElse(null));
            head.put("assignor_name", group.partitionAssignor());
            printMembers(head, group.members(), "instance_id");
        }
    }

    private static void printMembers(Map head, Collection members, String instanceId) throws Exception {
        if (members.isEmpty()) print(head);
        for (Object each : members) {
            MemberDescription member = (MemberDescription) each;
            Map row = new LinkedHashMap(head);
            row.put("member_id", member.consumerId());
            row.put(instanceId, member.groupInstanceId().orElse(null));
            row.put("rack_id", member.rackId().orElse(null));
            row.put("member_epoch", member.memberEpoch().orElse(null));
            row.put("client_id", member.clientId());
            row.put("client_host", member.host());
            row.put("assignment", byTopic(member.assignment().topicPartitions()));
            MemberAssignment target = (MemberAssignment) member.targetAssignment().orElse(null);
            row.put("target_assignment", target == null ? null : byTopic(target.topicPartitions()));
            print(row);
        }
    }

    private static void shareMembers(Admin admin) throws Exception {
        for (Object future : described(admin, GroupType.SHARE).values()) {
            ShareGroupDescription group = (ShareGroupDescription) ((KafkaFuture) future).get();
            Map head = row("share_member");
            head.put("group_id", group.groupId());
            head.put("group_state", group.groupState().toString());
            head.put("group_epoch", Integer.valueOf(group.groupEpoch()));
            head.put("assignment_epoch", Integer.valueOf(group.targetAssignmentEpoch()));
            if (group.members().isEmpty()) print(head);
            for (Object each : group.members()) {
                ShareMemberDescription member = (ShareMemberDescription) each;
                Map row = new LinkedHashMap(head);
                row.put("member_id", member.consumerId());
                row.put("rack_id", member.rackId().orElse(null));
                row.put("member_epoch", Integer.valueOf(member.memberEpoch()));
                row.put("client_id", member.clientId());
                row.put("client_host", member.host());
                row.put("assignment", byTopic(member.assignment().topicPartitions()));
                print(row);
            }
        }
    }

    private static void streamsMembers(Admin admin) throws Exception {
        for (Object future : described(admin, GroupType.STREAMS).values()) {
            StreamsGroupDescription group = (StreamsGroupDescription) ((KafkaFuture) future).get();
            Map head = row("streams_member");
            head.put("group_id", group.groupId());
            head.put("group_state", group.groupState().toString());
            head.put("group_epoch", Integer.valueOf(group.groupEpoch()));
            head.put("assignment_epoch", Integer.valueOf(group.targetAssignmentEpoch()));
            head.put("topology_epoch", Integer.valueOf(group.topologyEpoch()));
            head.put("assignor_name", group.assignorName().orElse(null));
            TreeSet sources = new TreeSet();
            for (Object each : group.subtopologies())
                sources.addAll(((StreamsGroupSubtopologyDescription) each).sourceTopics());
            head.put("source_topics", sources);
            if (group.members().isEmpty()) print(head);
            for (Object each : group.members()) print(streamsMember(head, (StreamsGroupMemberDescription) each));
        }
    }

    private static Map streamsMember(Map head, StreamsGroupMemberDescription member) {
        Map row = new LinkedHashMap(head);
        row.put("member_id", member.memberId());
        row.put("member_epoch", Integer.valueOf(member.memberEpoch()));
        row.put("instance_id", member.instanceId().orElse(null));
        row.put("rack_id", member.rackId().orElse(null));
        row.put("client_id", member.clientId());
        row.put("client_host", member.clientHost());
        row.put("process_id", member.processId());
        row.put("active_tasks", tasks(member.assignment().activeTasks()));
        row.put("standby_tasks", tasks(member.assignment().standbyTasks()));
        row.put("warmup_tasks", tasks(member.assignment().warmupTasks()));
        return row;
    }

    private static List tasks(Collection tasks) {
        Map found = new TreeMap();
        for (Object each : tasks) {
            StreamsGroupMemberAssignment.TaskIds ids = (StreamsGroupMemberAssignment.TaskIds) each;
            found.put(ids.subtopologyId(), new TreeSet(ids.partitions()));
        }
        List rows = new ArrayList();
        for (Object each : found.entrySet())
            rows.add(Arrays.asList(new Object[] {((Map.Entry) each).getKey(), ((Map.Entry) each).getValue()}));
        return rows;
    }

    private static void offsets(Admin admin) throws Exception {
        Map specs = new HashMap();
        GroupType[] types = new GroupType[] {GroupType.CLASSIC, GroupType.CONSUMER, GroupType.STREAMS};
        for (int i = 0; i < types.length; i++)
            for (Object name : named(admin, types[i])) specs.put(name, new ListConsumerGroupOffsetsSpec());
        for (Object each : ((Map) admin.listConsumerGroupOffsets(specs).all().get()).entrySet()) {
            Map partitions = (Map) ((Map.Entry) each).getValue();
            Map head = row("group_offset");
            head.put("group_id", ((Map.Entry) each).getKey());
            if (partitions.isEmpty()) print(head);
            for (Object one : partitions.entrySet()) {
                OffsetAndMetadata offset = (OffsetAndMetadata) ((Map.Entry) one).getValue();
                Map row = at(head, (TopicPartition) ((Map.Entry) one).getKey());
                row.put("committed_offset", Long.valueOf(offset.offset()));
                row.put("leader_epoch", offset.leaderEpoch().orElse(null));
                row.put("metadata", offset.metadata());
                print(row);
            }
        }
    }

    private static void shareOffsets(Admin admin) throws Exception {
        Map specs = new HashMap();
        for (Object name : named(admin, GroupType.SHARE)) specs.put(name, new ListShareGroupOffsetsSpec());
        for (Object each : ((Map) admin.listShareGroupOffsets(specs).all().get()).entrySet()) {
            Map partitions = (Map) ((Map.Entry) each).getValue();
            Map head = row("share_offset");
            head.put("group_id", ((Map.Entry) each).getKey());
            if (partitions.isEmpty()) print(head);
            for (Object one : partitions.entrySet()) {
                SharePartitionOffsetInfo offset = (SharePartitionOffsetInfo) ((Map.Entry) one).getValue();
                Map row = at(head, (TopicPartition) ((Map.Entry) one).getKey());
                row.put("start_offset", offset == null ? null : Long.valueOf(offset.startOffset()));
                row.put("leader_epoch", offset == null ? null : offset.leaderEpoch().orElse(null));
                row.put("lag", offset == null ? null : offset.lag().orElse(null));
                print(row);
            }
        }
    }

    private static Map at(Map head, TopicPartition partition) {
        Map row = new LinkedHashMap(head);
        row.put("topic", partition.topic());
        row.put("partition", Integer.valueOf(partition.partition()));
        return row;
    }

    private static void coordinators(Admin admin) throws Exception {
        for (GroupType type : GroupType.values()) {
            if (type == GroupType.UNKNOWN) continue;
            for (Object each : described(admin, type).entrySet()) {
                Object group = ((KafkaFuture) ((Map.Entry) each).getValue()).get();
                Map row = row("group_coordinator");
                row.put("key", ((Map.Entry) each).getKey());
                Method coordinator = group.getClass().getMethod("coordinator", new Class[0]);
                row.put("node_id", id((Node) coordinator.invoke(group, new Object[0])));
                print(row);
            }
        }
    }
}
