import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Share and streams groups: their members and offsets, one line each, as `GroupOracle` has the others.
 *
 * In a file of its own, because clients before 4.2 lack some of its classes.
 */
public class NewGroupOracle extends Lines {
    static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("share_member")) shareMembers(admin);
        if (kind.equals("streams_member")) streamsMembers(admin);
        if (kind.equals("share_offset")) shareOffsets(admin);
    }

    static Map described(Admin admin, GroupType type, List names) throws Exception {
        if (type == GroupType.SHARE) return admin.describeShareGroups(names).describedGroups();
        return admin.describeStreamsGroups(names).describedGroups();
    }

    private static void shareMembers(Admin admin) throws Exception {
        for (Object future : described(admin, GroupType.SHARE, GroupOracle.named(admin, GroupType.SHARE)).values()) {
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
        for (Object future : described(admin, GroupType.STREAMS, GroupOracle.named(admin, GroupType.STREAMS)).values()) {
            StreamsGroupDescription group = (StreamsGroupDescription) ((KafkaFuture) future).get();
            Map head = row("streams_member");
            head.put("group_id", group.groupId());
            head.put("group_state", group.groupState().toString());
            head.put("group_epoch", Integer.valueOf(group.groupEpoch()));
            head.put("assignment_epoch", Integer.valueOf(group.targetAssignmentEpoch()));
            head.put("topology_epoch", Integer.valueOf(group.topologyEpoch()));
            Optional assignor = (Optional) ifThere(group, "assignorName");
            head.put("assignor_name", assignor == null ? null : assignor.orElse(null));
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

    private static void shareOffsets(Admin admin) throws Exception {
        Map specs = new HashMap();
        for (Object name : GroupOracle.named(admin, GroupType.SHARE)) specs.put(name, new ListShareGroupOffsetsSpec());
        for (Object each : ((Map) admin.listShareGroupOffsets(specs).all().get()).entrySet()) {
            Map partitions = (Map) ((Map.Entry) each).getValue();
            Map head = row("share_offset");
            head.put("group_id", ((Map.Entry) each).getKey());
            if (partitions.isEmpty()) print(head);
            for (Object one : partitions.entrySet()) {
                SharePartitionOffsetInfo offset = (SharePartitionOffsetInfo) ((Map.Entry) one).getValue();
                Map row = GroupOracle.at(head, (TopicPartition) ((Map.Entry) one).getKey());
                row.put("start_offset", offset == null ? null : Long.valueOf(offset.startOffset()));
                row.put("leader_epoch", offset == null ? null : offset.leaderEpoch().orElse(null));
                row.put("lag", offset == null ? null : offset.lag().orElse(null));
                print(row);
            }
        }
    }
}
