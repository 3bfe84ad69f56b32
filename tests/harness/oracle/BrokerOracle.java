import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeFeaturesOptions;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.SupportedVersionRange;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;

/** Brokers, fenced ones too; their features; the volumes of the log dirs, and every config, of topics and of the brokers alive. */
public class BrokerOracle extends Lines {
    static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("node")) nodes(admin);
        if (kind.equals("feature")) features(admin);
        if (kind.equals("volume")) volumes(admin);
        if (kind.equals("config_entry")) configs(admin);
    }

    private static void nodes(Admin admin) throws Exception {
        DescribeClusterOptions all = new DescribeClusterOptions().includeFencedBrokers(true);
        for (Object each : (Collection) admin.describeCluster(all).nodes().get()) {
            Node node = (Node) each;
            Map row = row("node");
            row.put("node_id", Integer.valueOf(node.id()));
            row.put("host", node.host());
            row.put("port", Integer.valueOf(node.port()));
            row.put("rack", node.rack());
            row.put("is_fenced", Boolean.valueOf(node.isFenced()));
            print(row);
        }
    }

    /** Levels that a broker supports, and the one that is finalized; null for none. */
    private static void features(Admin admin) throws Exception {
        for (Object node : ids((Collection) admin.describeCluster().nodes().get())) features(admin, (Integer) node);
    }

    private static void features(Admin admin, Integer node) throws Exception {
        DescribeFeaturesOptions there = new DescribeFeaturesOptions().nodeId(node.intValue());
        FeatureMetadata found = (FeatureMetadata) admin.describeFeatures(there).featureMetadata().get();
        for (Object each : found.supportedFeatures().entrySet()) {
            Map.Entry entry = (Map.Entry) each;
            SupportedVersionRange range = (SupportedVersionRange) entry.getValue();
            FinalizedVersionRange level = (FinalizedVersionRange) found.finalizedFeatures().get(entry.getKey());
            Map row = row("feature");
            row.put("node_id", node);
            row.put("feature", entry.getKey());
            row.put("min_version", Integer.valueOf(range.minVersion()));
            row.put("max_version", Integer.valueOf(range.maxVersion()));
            row.put("finalized_version", level == null ? null : Integer.valueOf(level.maxVersionLevel()));
            print(row);
        }
    }

    private static void volumes(Admin admin) throws Exception {
        Collection nodes = ids((Collection) admin.describeCluster().nodes().get());
        Map futures = admin.describeLogDirs(nodes).descriptions();
        for (Object node : nodes) {
            try {
                Map folders = (Map) ((KafkaFuture) futures.get(node)).get();
                for (Object each : folders.entrySet()) volume(node, (Map.Entry) each);
            } catch (ExecutionException error) {
                Map row = row("volume");
                row.put("node_id", node);
                print(failed(row, error.getCause()));
            }
        }
    }

    /** An offline dir has `error`; its replicas are not known. */
    private static void volume(Object node, Map.Entry folder) throws Exception {
        LogDirDescription description = (LogDirDescription) folder.getValue();
        OptionalLong total = description.totalBytes();
        OptionalLong usable = description.usableBytes();
        Map row = row("volume");
        row.put("node_id", node);
        row.put("log_dir", folder.getKey());
        row.put("total_bytes", total.isPresent() ? Long.valueOf(total.getAsLong()) : null);
        row.put("usable_bytes", usable.isPresent() ? Long.valueOf(usable.getAsLong()) : null);
        row.put("is_cordoned", ifThere(description, "isCordoned"));
        if (description.error() != null) failed(row, description.error());
        print(row);
    }

    private static void configs(Admin admin) throws Exception {
        List resources = new ArrayList();
        for (Object topic : (Collection) admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get())
            resources.add(new ConfigResource(ConfigResource.Type.TOPIC, (String) topic));
        for (Object node : (Collection) admin.describeCluster().nodes().get())
            resources.add(new ConfigResource(ConfigResource.Type.BROKER, ((Node) node).idString()));
        Map futures = admin.describeConfigs(resources, new DescribeConfigsOptions().includeSynonyms(true)).values();
        for (Object each : resources) {
            ConfigResource resource = (ConfigResource) each;
            Map head = row("config_entry");
            head.put("resource_type", resource.type().toString().toLowerCase());
            head.put("resource_name", resource.name());
            try {
                Config config = (Config) ((KafkaFuture) futures.get(resource)).get();
                for (Object entry : config.entries()) print(entry(head, (ConfigEntry) entry));
            } catch (ExecutionException error) {
                print(failed(head, error.getCause()));
            }
        }
    }

    /** The default is that of Kafka, which the last synonym tells; null where it has none, or hides it. */
    private static Map entry(Map head, ConfigEntry entry) {
        String initial = null;
        for (Object each : entry.synonyms()) {
            ConfigEntry.ConfigSynonym synonym = (ConfigEntry.ConfigSynonym) each;
            boolean own = synonym.name().equals(entry.name());
            if (own && synonym.source() == ConfigEntry.ConfigSource.DEFAULT_CONFIG) initial = synonym.value();
        }
        Map row = new LinkedHashMap(head);
        row.put("name", entry.name());
        row.put("value", entry.value());
        row.put("source", entry.source().toString());
        row.put("is_sensitive", Boolean.valueOf(entry.isSensitive()));
        row.put("default_value", initial);
        return row;
    }
}
