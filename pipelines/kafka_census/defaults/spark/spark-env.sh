# spark-submit sources this before it starts a JVM. An older Java could not even load Spark's launcher: it
# would end in a stack trace about class file version 61, before any Python runs.
census_java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
census_version=$("$census_java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
if [ "${census_version:-0}" -lt 17 ]; then
  echo "error: Java 17 or newer is needed; $census_java is ${census_version:-not there}; set JAVA_HOME to a newer one" >&2
  exit 2
fi
