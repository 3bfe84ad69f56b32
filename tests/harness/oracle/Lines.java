import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/** Rows as the oracles print them: one JSON object per line, `kind` first. */
public class Lines {
    private static final ObjectMapper JSON = new ObjectMapper();

    static Map row(String kind) {
        Map row = new LinkedHashMap();
        row.put("kind", kind);
        return row;
    }

    static Map failed(Map row, Throwable error) {
        row.put("error", error.getClass().getSimpleName());
        return row;
    }

    static String text(Optional value) {
        return value.isPresent() ? value.get().toString() : null;
    }

    static Integer id(Node node) {
        return node == null || node.isEmpty() ? null : Integer.valueOf(node.id());
    }

    static List ids(Collection nodes) {
        if (nodes == null) return null;
        List found = new ArrayList();
        for (Object node : nodes) found.add(Integer.valueOf(((Node) node).id()));
        return found;
    }

    /** Partitions as sorted [topic, [partition, ...]]. */
    static List byTopic(Collection partitions) {
        Map topics = new TreeMap();
        for (Object each : partitions) {
            TopicPartition partition = (TopicPartition) each;
            if (!topics.containsKey(partition.topic())) topics.put(partition.topic(), new TreeSet());
            ((TreeSet) topics.get(partition.topic())).add(Integer.valueOf(partition.partition()));
        }
        List found = new ArrayList();
        for (Object each : topics.entrySet()) {
            List pair = new ArrayList();
            pair.add(((Map.Entry) each).getKey());
            pair.add(((Map.Entry) each).getValue());
            found.add(pair);
        }
        return found;
    }

    static void print(Map row) throws Exception {
        System.out.println(JSON.writeValueAsString(row));
    }

    /** The result of a method that not every client has; null without that method. */
    static Object ifThere(Object of, String method) throws Exception {
        for (Method each : of.getClass().getMethods())
            if (each.getName().equals(method) && each.getParameterTypes().length == 0) {
                each.setAccessible(true);
                return each.invoke(of, new Object[0]);
            }
        return null;
    }

    /** Calls a static method of another source, which is compiled then: not every client has what it needs. */
    static Object called(String name, String method, Class[] types, Object[] arguments) throws Exception {
        Method found = Lines.class.getClassLoader().loadClass(name).getDeclaredMethod(method, types);
        try {
            return found.invoke(null, arguments);
        } catch (InvocationTargetException error) {
            if (error.getCause() instanceof Exception) throw (Exception) error.getCause();
            throw error;
        }
    }
}
