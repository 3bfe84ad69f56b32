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
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The Java AdminClient doing the same calls: prints `name items nanoseconds` of the fastest of some runs each. */
public class AdminBench {
    private static final int RUNS = 5;

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileInputStream(args[0]));
        Admin admin = AdminClient.create(properties);
        try {
            String[] names = {"DescribeCluster", "Metadata", "DescribeTopicPartitions", "DescribeConfigs",
                "ListPartitionReassignments", "DescribeLogDirs", "ListGroups", "DescribeGroups", "OffsetFetch",
                "ListOffsets", "DescribeProducers", "ListTransactions", "DescribeQuorum"};
            for (int i = 0; i < names.length; i++) {
                long fastest = Long.MAX_VALUE;
                int items = 0;
                for (int run = 0; run < RUNS; run++) {
                    Collection keys = keys(admin, names[i]);
                    long start = System.nanoTime();
                    items = call(admin, names[i], keys);
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
    private static Collection keys(Admin admin, String name) throws Exception {
        if (name.equals("DescribeTopicPartitions") || name.equals("DescribeConfigs")) return topics(admin);
        List found = new ArrayList();
        if (name.equals("DescribeGroups") || name.equals("OffsetFetch"))
            for (Object group : (Collection) admin.listGroups().all().get()) found.add(((GroupListing) group).groupId());
        if (name.equals("ListOffsets") || name.equals("DescribeProducers"))
            for (Object one : ((Map) admin.describeTopics(topics(admin)).allTopicNames().get()).values())
                for (int i = 0; i < ((TopicDescription) one).partitions().size(); i++)
                    found.add(new TopicPartition(((TopicDescription) one).name(), i));
        return found;
    }

    private static int call(Admin admin, String name, Collection keys) throws Exception {
        if (name.equals("DescribeCluster")) return ((Collection) admin.describeCluster().nodes().get()).size();
        if (name.equals("Metadata")) return topics(admin).size();
        if (name.equals("DescribeTopicPartitions")) {
            int items = 0;
            for (Object one : ((Map) admin.describeTopics(keys).allTopicNames().get()).values())
                items += ((TopicDescription) one).partitions().size();
            return items;
        }
        if (name.equals("DescribeConfigs")) {
            List resources = new ArrayList();
            for (Object topic : keys) resources.add(new ConfigResource(ConfigResource.Type.TOPIC, (String) topic));
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
            for (Object partition : keys) specs.put(partition, OffsetSpec.latest());
            return ((Map) admin.listOffsets(specs).all().get()).size();
        }
        if (name.equals("OffsetFetch")) {
            Map specs = new HashMap();
            for (Object group : keys) specs.put(group, new ListConsumerGroupOffsetsSpec());
            int items = 0;
            for (Object one : ((Map) admin.listConsumerGroupOffsets(specs).all().get()).values())
                items += ((Map) one).size();
            return items;
        }
        List nodes = new ArrayList();
        for (Object node : (Collection) admin.describeCluster().nodes().get())
            nodes.add(Integer.valueOf(((Node) node).id()));
        int items = 0;
        for (Object broker : ((Map) admin.describeLogDirs(nodes).allDescriptions().get()).values())
            for (Object dir : ((Map) broker).values())
                items += ((org.apache.kafka.clients.admin.LogDirDescription) dir).replicaInfos().size();
        return items;
    }
}
