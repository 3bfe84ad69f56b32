import java.io.FileInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;

/**
 * Live members of a share group, each with a client id of its own, until killed.
 *
 * Arguments: a file of client properties, group, topic, how many. Prints `ready` when one of them has taken records.
 */
public class ShareMembers {
    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileInputStream(args[0]));
        properties.put("group.id", args[1]);
        properties.put("key.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        properties.put("value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        List members = new ArrayList();
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            properties.put("client.id", "client-" + i);
            KafkaShareConsumer member = new KafkaShareConsumer(properties);
            member.subscribe(Collections.singleton(args[2]));
            members.add(member);
        }
        boolean ready = false;
        while (true) {
            for (Object member : members) {
                boolean taken = ((KafkaShareConsumer) member).poll(Duration.ofMillis(100)).count() > 0;
                if (taken && !ready) System.out.println("ready");
                ready = ready || taken;
            }
        }
    }
}
