import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ClassicGroupDescription;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Groups: members and offsets of classic and consumer groups, coordinators of all, one line each.
 *
 * A group without members or offsets is one line with null for them. A group is of the type that ListGroups
 * says, classic where it says none.
 */
public class GroupOracle extends Lines {
    static final List KINDS =
        Arrays.asList(
            new Object[] {
                "classic_member", "consumer_member", "group_offset", "group_coordinator"});

    static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("classic_member")) classicMembers(admin);
        if (kind.equals("consumer_member")) consumerMembers(admin);
        if (kind.equals("group_offset")) offsets(admin);
        if (kind.equals("group_coordinator")) coordinators(admin);
    }

    static List named(Admin admin, GroupType wanted) throws Exception {
        List names = new ArrayList();
        for (Object each : (Collection) admin.listGroups().all().get()) {
            GroupListing group = (GroupListing) each;
            if (group.type().orElse(GroupType.CLASSIC) == wanted) names.add(group.groupId());
        }
        return names;
    }

    private static Map described(Admin admin, GroupType type) throws Exception {
        List names = named(admin, type);
        if (names.isEmpty()) return new HashMap();
        if (type == GroupType.SHARE || type.name().equals("STREAMS")) {
            Class[] types = new Class[] {Admin.class, GroupType.class, List.class};
            return (Map) called("NewGroupOracle", "described", types, new Object[] {admin, type, names});
        }
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
            Optional rack = (Optional) ifThere(member, "rackId");
            row.put("rack_id", rack == null ? null : rack.orElse(null));
            row.put("member_epoch", member.memberEpoch().orElse(null));
            row.put("client_id", member.clientId());
            row.put("client_host", member.host());
            row.put("assignment", byTopic(member.assignment().topicPartitions()));
            MemberAssignment target = (MemberAssignment) member.targetAssignment().orElse(null);
            row.put("target_assignment", target == null ? null : byTopic(target.topicPartitions()));
            print(row);
        }
    }

    private static void offsets(Admin admin) throws Exception {
        Map specs = new HashMap();
        for (GroupType type : GroupType.values()) {
            if (type == GroupType.UNKNOWN || type == GroupType.SHARE) continue;
            for (Object name : named(admin, type)) specs.put(name, new ListConsumerGroupOffsetsSpec());
        }
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

    static Map at(Map head, TopicPartition partition) {
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
