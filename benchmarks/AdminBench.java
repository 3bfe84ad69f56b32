import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
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
                "ListPartitionReassignments", "DescribeLogDirs", "ListGroups"};
            for (int i = 0; i < names.length; i++) {
                long fastest = Long.MAX_VALUE;
                int items = 0;
                for (int run = 0; run < RUNS; run++) {
                    Collection topics = names[i].equals("DescribeTopicPartitions") || names[i].equals("DescribeConfigs")
                        ? topics(admin) : new ArrayList();
                    long start = System.nanoTime();
                    items = call(admin, names[i], topics);
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

    private static int call(Admin admin, String name, Collection topics) throws Exception {
        if (name.equals("DescribeCluster")) return ((Collection) admin.describeCluster().nodes().get()).size();
        if (name.equals("Metadata")) return topics(admin).size();
        if (name.equals("DescribeTopicPartitions")) {
            int items = 0;
            for (Object one : ((Map) admin.describeTopics(topics).allTopicNames().get()).values())
                items += ((TopicDescription) one).partitions().size();
            return items;
        }
        if (name.equals("DescribeConfigs")) {
            List resources = new ArrayList();
            for (Object topic : topics) resources.add(new ConfigResource(ConfigResource.Type.TOPIC, (String) topic));
            return ((Map) admin.describeConfigs(resources).all().get()).size();
        }
        if (name.equals("ListPartitionReassignments"))
            return ((Map) admin.listPartitionReassignments().reassignments().get()).size();
        if (name.equals("ListGroups")) return ((Collection) admin.listGroups().all().get()).size();
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
