#!/bin/sh
# A census as a step of an EMR cluster, whose release must have Spark 4.2. The files of dist/cluster and census.yaml are
# in the bucket that step.json names; the role of the instances reads them. A bootstrap action puts the secrets that
# census.yaml refers to on the machine of the driver.
set -eu
exec aws emr add-steps --cluster-id "${EMR_CLUSTER:?such as j-2AXXXXXXGAPLF}" --steps "file://$(dirname "$0")/step.json"
