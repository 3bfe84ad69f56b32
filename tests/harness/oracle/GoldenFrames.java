import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HexFormat;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Frames by the classes that Kafka generates from its message schemas, as JSON lines on stdout.
 *
 * Argument: a file with one JSON object per line: `key`, `kind` (request or response), `version`, and `header` and
 * `body` in Kafka's own JSON. For each, in order, a line with `body` and `hex`, the whole frame, of the message that
 * came of it; ASCII, whatever the locale is.
 * Compiled in memory by Janino: no lambdas, no inference.
 */
public class GoldenFrames {
    private static final String MESSAGES = "org.apache.kafka.common.message.";

    public static void main(String[] args) throws Exception {
        ObjectMapper json = new ObjectMapper();
        json.getFactory().enable(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature());
        for (Object line : Files.readAllLines(Paths.get(args[0], new String[0])))
            System.out.println(json.writeValueAsString(answer(json.readTree((String) line), json.createObjectNode())));
    }

    private static ObjectNode answer(JsonNode question, ObjectNode answer) throws Exception {
        ApiMessageType api = ApiMessageType.fromApiKey((short) question.get("key").asInt());
        boolean request = question.get("kind").asText().equals("request");
        short version = (short) question.get("version").asInt();
        short headerVersion = request ? api.requestHeaderVersion(version) : api.responseHeaderVersion(version);
        String kind = request ? "Request" : "Response";
        Message header = built(kind + "Header", question.get("header"), headerVersion);
        Message body = built(api.name + kind, question.get("body"), version);
        answer.set("body", json(body, version));
        return answer.put("hex", hex(header, headerVersion) + hex(body, version));
    }

    private static Message built(String name, JsonNode json, short version) throws Exception {
        Class converter = Class.forName(MESSAGES + name + "DataJsonConverter");
        Object[] arguments = new Object[] {json, Short.valueOf(version)};
        return (Message) converter.getMethod("read", new Class[] {JsonNode.class, short.class}).invoke(null, arguments);
    }

    private static JsonNode json(Message data, short version) throws Exception {
        Class converter = Class.forName(data.getClass().getName() + "JsonConverter");
        Class[] types = new Class[] {data.getClass(), short.class};
        return (JsonNode) converter.getMethod("write", types).invoke(null, new Object[] {data, Short.valueOf(version)});
    }

    private static String hex(Message data, short version) {
        return HexFormat.of().formatHex(MessageUtil.byteBufferToArray(MessageUtil.toByteBufferAccessor(data, version).buffer()));
    }
}
