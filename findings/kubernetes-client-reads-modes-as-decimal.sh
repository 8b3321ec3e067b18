#!/bin/sh
# @kubernetes/client-node 1.4.0 (with js-yaml 4), beside cdk8s 2.70.106 (npm) and PyYAML 6.0 (Debian 12), Node.js 20.
# Guess: the official client for JavaScript reads "defaultMode: 0440" of a manifest as kubectl does: octal, 288.
# Seen: it reads 440, since js-yaml follows YAML 1.2. That is 0670: the group may write the files. cdk8s and PyYAML, with which Ansible
# reads manifests, say 288. With 288 in the manifest all agree.
# Needs apt-get, dpkg, Python 3.11, Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-yaml=6.0-3+b2 libyaml-0-2 > apt.log 2>&1 || { cat apt.log; exit 2; }
for file in *.deb; do
    dpkg -x "$file" package
done
echo '{"type": "module"}' > package.json
npm install --silent @kubernetes/client-node@1.4.0 cdk8s@2.70.106 constructs@10.8.1 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > read.js <<'END'
import { readFileSync } from 'node:fs';
import { loadYaml } from '@kubernetes/client-node';
import { Yaml } from 'cdk8s';

const [, , file] = process.argv;
const mode = (pod) => pod.spec.volumes[0].secret.defaultMode;
const show = (tool, number) => console.log(`  ${tool}: ${number} is 0${number.toString(8)}`);
show('client-node', mode(loadYaml(readFileSync(file, 'utf8'))));
show('cdk8s', mode(Yaml.load(file)[0]));
END
cat > read.py <<'END'
import sys, yaml
number = yaml.safe_load(open(sys.argv[1]))["spec"]["volumes"][0]["secret"]["defaultMode"]
print(f"  PyYAML: {number} is 0{number:o}")
END
for mode in 0440 288; do
    cat > pod.yaml <<END
apiVersion: v1
kind: Pod
metadata:
  name: shop
spec:
  volumes:
    - name: key
      secret: { secretName: shop, defaultMode: $mode }
END
    echo "$mode"
    node read.js pod.yaml
    PYTHONPATH=package/usr/lib/python3/dist-packages python3 read.py pod.yaml
done | tee seen
cmp - seen <<'END'
0440
  client-node: 440 is 0670
  cdk8s: 288 is 0440
  PyYAML: 288 is 0440
288
  client-node: 288 is 0440
  cdk8s: 288 is 0440
  PyYAML: 288 is 0440
END
