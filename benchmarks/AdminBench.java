import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The Java AdminClient doing the same calls: prints `rpc scope items nanoseconds` of the fastest of some runs each. */
public class AdminBench {
    private static final int RUNS = 5;

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileInputStream(args[0]));
        Admin admin = AdminClient.create(properties);
        try {
            String[] names = {"DescribeCluster cluster", "Metadata names", "DescribeTopicPartitions topics",
                "DescribeConfigs topics_all", "DescribeConfigs brokers", "ListPartitionReassignments cluster",
                "DescribeLogDirs log_dirs", "ListGroups groups", "DescribeGroups groups", "OffsetFetch groups",
                "ListOffsets earliest", "ListOffsets max_timestamp", "ListOffsets latest", "ListOffsets last_stable",
                "DescribeProducers partitions", "ListTransactions transactions", "DescribeQuorum quorum"};
            for (int i = 0; i < names.length; i++) {
                String name = names[i].split(" ")[0], scope = names[i].split(" ")[1];
                long fastest = Long.MAX_VALUE;
                int items = 0;
                for (int run = 0; run < RUNS; run++) {
                    Collection keys = keys(admin, name, scope);
                    long start = System.nanoTime();
                    items = call(admin, name, scope, keys);
                    fastest = Math.min(fastest, System.nanoTime() - start);
                }
                System.out.println(names[i] + " " + items + " " + fastest);
            }
        } finally {
            admin.close();
        }
    }

    private static Collection topics(Admin admin) throws Exception {
        return (Collection) admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
    }

    /** What a call is about, listed before the clock starts. */
    private static Collection keys(Admin admin, String name, String scope) throws Exception {
        if (name.equals("DescribeTopicPartitions") || scope.equals("topics_all")) return topics(admin);
        List found = new ArrayList();
        if (scope.equals("brokers") || name.equals("DescribeLogDirs"))
            for (Object node : (Collection) admin.describeCluster().nodes().get())
                found.add(Integer.valueOf(((Node) node).id()));
        if (name.equals("DescribeGroups") || name.equals("OffsetFetch"))
            for (Object group : (Collection) admin.listGroups().all().get()) found.add(((GroupListing) group).groupId());
        if (name.equals("ListOffsets") || name.equals("DescribeProducers"))
            for (Object one : ((Map) admin.describeTopics(topics(admin)).allTopicNames().get()).values())
                for (int i = 0; i < ((TopicDescription) one).partitions().size(); i++)
                    found.add(new TopicPartition(((TopicDescription) one).name(), i));
        return found;
    }

    private static int call(Admin admin, String name, String scope, Collection keys) throws Exception {
        if (name.equals("DescribeCluster")) return ((Collection) admin.describeCluster().nodes().get()).size();
        if (name.equals("Metadata")) return topics(admin).size();
        if (name.equals("DescribeTopicPartitions")) {
            int items = 0;
            for (Object one : ((Map) admin.describeTopics(keys).allTopicNames().get()).values())
                items += ((TopicDescription) one).partitions().size();
            return items;
        }
        if (name.equals("DescribeConfigs")) {
            boolean ofBrokers = scope.equals("brokers");
            ConfigResource.Type type = ofBrokers ? ConfigResource.Type.BROKER : ConfigResource.Type.TOPIC;
            List resources = new ArrayList();
            for (Object key : keys) resources.add(new ConfigResource(type, key.toString()));
            return ((Map) admin.describeConfigs(resources).all().get()).size();
        }
        if (name.equals("ListPartitionReassignments"))
            return ((Map) admin.listPartitionReassignments().reassignments().get()).size();
        if (name.equals("ListGroups")) return ((Collection) admin.listGroups().all().get()).size();
        if (name.equals("DescribeGroups")) return ((Map) admin.describeClassicGroups(keys).all().get()).size();
        if (name.equals("ListTransactions")) return ((Collection) admin.listTransactions().all().get()).size();
        if (name.equals("DescribeProducers")) return ((Map) admin.describeProducers(keys).all().get()).size();
        if (name.equals("DescribeQuorum")) {
            QuorumInfo quorum = (QuorumInfo) admin.describeMetadataQuorum().quorumInfo().get();
            return quorum.voters().size() + quorum.observers().size();
        }
        if (name.equals("ListOffsets")) {
            Map specs = new HashMap();
            OffsetSpec spec = OffsetSpec.latest();
            if (scope.equals("earliest")) spec = OffsetSpec.earliest();
            if (scope.equals("max_timestamp")) spec = OffsetSpec.maxTimestamp();
            boolean stable = scope.equals("last_stable");
            IsolationLevel isolation = stable ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
            for (Object partition : keys) specs.put(partition, spec);
            return ((Map) admin.listOffsets(specs, new ListOffsetsOptions(isolation)).all().get()).size();
        }
        if (name.equals("OffsetFetch")) {
            Map specs = new HashMap();
            for (Object group : keys) specs.put(group, new ListConsumerGroupOffsetsSpec());
            int items = 0;
            for (Object one : ((Map) admin.listConsumerGroupOffsets(specs).all().get()).values())
                items += ((Map) one).size();
            return items;
        }
        int items = 0;
        for (Object broker : ((Map) admin.describeLogDirs(keys).allDescriptions().get()).values())
            for (Object dir : ((Map) broker).values())
                items += ((org.apache.kafka.clients.admin.LogDirDescription) dir).replicaInfos().size();
        return items;
    }
}
