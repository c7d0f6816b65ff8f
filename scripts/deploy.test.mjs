// The Helm chart renders objects that three versions of Kubernetes accept and that fit Floe; the alerting rules fire.
// Tier: deploy. It needs helm, kubeconform and promtool, which `npm run test:deploy` installs.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { checkConfigFile } from '../packages/server/src/config/check-config.ts';
import { readEnvironment } from '../packages/server/src/config/environment.ts';
import { findConfigIssues } from '../packages/server/src/management/config/find-config-issues.ts';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { KUBERNETES_VERSIONS } from './deploy/kubernetes-versions.mjs';
import { ensurePrograms } from './deploy/programs.mjs';
import { RULE_CASES, ruleTests } from './deploy/rule-cases.mjs';
import { anchorsOf } from './doc-pages.mjs';
import { root } from './setup.mjs';

const programs = ensurePrograms();
const CHART = join(root, 'deploy/helm/floe');
const VALUES = join(root, 'deploy/helm/ci');
const RULES = join(root, 'deploy/prometheus/rules.yaml');
const SCHEMAS = ['{{ .NormalizedKubernetesVersion }}', 'crds'].map(
  (directory) =>
    `${root}/scripts/deploy/schemas/${directory}/{{ .ResourceKind }}{{ .KindSuffix }}.schema.json`,
);
const SECRET_KEY = 'only-for-tests-0123456789-0123456789';
/** What helm renders, by the name of the values. */
const rendered = new Map([['defaults', render([])]]);
for (const file of readdirSync(VALUES).sort()) rendered.set(file, render(['--values', join(VALUES, file)]));

for (const name of rendered.keys())
  test(`${name}: helm lint reports nothing`, () => {
    const values = name === 'defaults' ? [] : ['--values', join(VALUES, name)];
    const version = ['--kube-version', KUBERNETES_VERSIONS[0]];
    const { status, output } = run(programs.helm, ['lint', '--strict', CHART, ...version, ...values]);
    assert.equal(status, 0, output);
    assert.doesNotMatch(output, /\[(?:WARNING|ERROR)\]/);
  });

for (const version of KUBERNETES_VERSIONS)
  for (const [name, text] of rendered)
    test(`${name}: Kubernetes ${version} accepts every object`, () => {
      const { valid, output } = validate(text, version);
      assert.equal(valid, objectsOf(text).length, output);
    });

test('the schemas reject unknown fields and wrong types', () => {
  const text = rendered.get('defaults');
  for (const [from, to] of [
    ['failureThreshold', 'failureThresholds'],
    ['containerPort: 3563', 'containerPort: "3563"'],
    ['kind: Deployment', 'kind: Deploymant'],
  ]) {
    assert.ok(text.includes(from), from);
    const broken = validate(text.replace(from, to), KUBERNETES_VERSIONS[0]);
    assert.equal(broken.valid, objectsOf(text).length - 1, `${to}: ${broken.output}`);
  }
});

test('the values files render every kind of object and both workloads', () => {
  const kinds = new Set([...rendered.values()].flatMap((text) => objectsOf(text).map(({ kind }) => kind)));
  const declared = readdirSync(join(CHART, 'templates')).flatMap((file) =>
    [...readFileSync(join(CHART, 'templates', file), 'utf8').matchAll(/^kind: (\w+)$/gm)].map(
      ([, kind]) => kind,
    ),
  );
  assert.deepEqual([...kinds].sort(), [...new Set(declared)].sort());
});

test('every FLOE_ variable of the chart is documented', () => {
  const page = readFileSync(join(root, 'docs/reference/environment-variables.md'), 'utf8');
  const names = new Set(
    containersOf(...rendered.values()).flatMap(({ env = [] }) => env.map((each) => each.name)),
  );
  const own = [...names].filter((name) => name.startsWith('FLOE_'));
  assert.ok(own.length > 8);
  for (const name of own) assert.ok(page.includes(`| \`${name}\` |`), name);
});

test('the grace period is longer than the shutdown delay and the drain timeout', () => {
  const changed = render(['--set', 'shutdown.delaySeconds=40,shutdown.drainTimeoutSeconds=7200']);
  for (const [name, text] of [...rendered, ['changed times', changed]]) {
    const pod = podsOf(text).find(({ containers }) => containers.some((each) => each.name === 'floe'));
    const { env } = pod.containers.find((each) => each.name === 'floe');
    const seconds = (variable) => Number(env.find((each) => each.name === variable).value) / 1000;
    const both = seconds('FLOE_SHUTDOWN_DELAY_MS') + seconds('FLOE_DRAIN_TIMEOUT_MS');
    assert.ok(both >= 900, name);
    assert.ok(pod.terminationGracePeriodSeconds >= both + 15, name);
  }
});

test('every pod satisfies the restricted pod security standard and writes only to volumes', () => {
  for (const [name, text] of rendered) {
    let ofFloe = 0;
    for (const pod of podsOf(text)) {
      assert.equal(pod.automountServiceAccountToken, false, name);
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext;
      assert.deepEqual([runAsNonRoot, seccompProfile.type], [true, 'RuntimeDefault'], name);
      for (const container of pod.containers) {
        const isFloe = /^floe[:@]/.test(container.image);
        if (isFloe) ofFloe += 1;
        if (isFloe) assert.equal(runAsUser, 65532);
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const mounted = new Set(container.volumeMounts.map((mount) => mount.name));
        if (isFloe) assert.ok(mounted.has('data'));
      }
    }
    assert.ok(ofFloe > 0, name);
  }
});

test('floe.yaml of each values file is valid and has a listener for metrics', () => {
  let count = 0;
  for (const [name, text] of rendered)
    for (const { kind, data } of objectsOf(text)) {
      if (kind !== 'ConfigMap') continue;
      count += 1;
      assert.deepEqual(configFaults(data['floe.yaml']), [], name);
      const surfaces = parse(data['floe.yaml']).server.listeners.map((listener) => listener.surfaces.join());
      assert.ok(surfaces.includes('metrics'), name);
    }
  assert.ok(count >= 4);
});

test('numbers of the configuration keep their values', () => {
  const text = render(['--set', 'config.server.drain_timeout_ms=86400000']);
  const { data } = objectsOf(text).find(({ kind }) => kind === 'ConfigMap');
  assert.deepEqual(configFaults(data['floe.yaml']), []);
  assert.equal(parse(data['floe.yaml']).server.drain_timeout_ms, 86_400_000);
});

test('SQLite has one pod that is replaced after it ended; PostgreSQL has pods with a volume each', () => {
  const sqlite = workloadOf('sqlite.yaml');
  assert.deepEqual(
    [sqlite.kind, sqlite.spec.replicas, sqlite.spec.strategy.type],
    ['Deployment', 1, 'Recreate'],
  );
  const bundled = workloadOf('bundled.yaml');
  assert.deepEqual([bundled.kind, bundled.spec.replicas], ['StatefulSet', 2]);
  assert.equal(bundled.spec.volumeClaimTemplates[0].metadata.name, 'data');
  // The autoscaler sets the number.
  assert.equal(workloadOf('external.yaml').spec.replicas, undefined);
});

test('additional ports and the metrics token reach the Services, the NetworkPolicy and the ServiceMonitor', () => {
  const values = ['--values', join(VALUES, 'external.yaml')];
  const extra = 'service.extraPorts[0].name=clients,service.extraPorts[0].port=8443';
  const token = 'metrics.serviceMonitor.tokenSecret=provider-keys';
  const objects = objectsOf(render([...values, '--set', `${extra},${token}`]));
  const find = (wanted, name = 'floe') =>
    objects.find(({ kind, metadata }) => kind === wanted && metadata.name === name).spec;
  const [container] = find('StatefulSet').template.spec.containers;
  assert.deepEqual(container.ports.at(-1), { name: 'clients', containerPort: 8443 });
  assert.deepEqual(find('Service').ports.at(-1), { name: 'clients', port: 8443, targetPort: 'clients' });
  const { ports, from } = find('NetworkPolicy').ingress[0];
  assert.deepEqual(
    ports.map(({ port }) => port),
    [3563, 8443],
  );
  assert.ok(from.length > 0);
  const [endpoint] = find('ServiceMonitor').endpoints;
  assert.deepEqual(endpoint.authorization, {
    credentials: { name: 'provider-keys', key: 'METRICS_TOKEN' },
  });
  const [without] = objectsOf(rendered.get('external.yaml')).filter(({ kind }) => kind === 'ServiceMonitor');
  assert.equal(without.spec.endpoints[0].authorization, undefined);
});

test('with autoscaling, an upgrade keeps the number of pods, and at least the minimum', async (t) => {
  const kind = 'StatefulSet';
  let replicas = 0;
  // What helm asks a cluster for.
  const cluster = createServer(({ url }, response) => {
    const resources = [{ name: 'statefulsets', namespaced: true, kind, verbs: ['get'] }];
    const isList = url.startsWith('/apis/apps/v1?');
    const answer = isList
      ? { kind: 'APIResourceList', groupVersion: 'apps/v1', resources }
      : { spec: { replicas } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: 'apps/v1', kind, metadata: { name: 'floe' }, ...answer }));
  });
  t.after(() => cluster.close());
  await once(cluster.listen(0, '127.0.0.1'), 'listening');
  const api = ['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${cluster.address().port}`];
  const args = templateArguments(['--values', join(VALUES, 'external.yaml'), ...api]);
  for (const [current, wanted] of [
    [5, 5],
    [0, 3],
  ]) {
    replicas = current;
    const env = { ...process.env, KUBECONFIG: '/dev/null' };
    const { stdout } = await promisify(execFile)(programs.helm, args, { env });
    assert.equal(objectsOf(stdout).find((each) => each.kind === kind).spec.replicas, wanted);
  }
});

test('the migration has its own copies of the configuration and the secrets', () => {
  const hooks = (name) =>
    objectsOf(rendered.get(name))
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined)
      .map(({ kind }) => kind);
  assert.deepEqual(hooks('external.yaml').sort(), ['ConfigMap', 'Job']);
  assert.deepEqual(hooks('external-values.yaml').sort(), ['Job', 'Secret']);
  assert.deepEqual(hooks('bundled.yaml'), []);
  const job = objectsOf(rendered.get('external.yaml')).find(({ kind }) => kind === 'Job');
  assert.deepEqual(job.spec.template.spec.containers[0].args, ['migrate']);
  assert.ok(readFileSync(join(root, 'docs/reference/cli.md'), 'utf8').includes('`floe migrate '));
});

test('values that cannot work are rejected with a reason', () => {
  const bundled = `database.type=bundled,secrets.secretKey=${SECRET_KEY}`;
  for (const [values, reason] of [
    ['replicaCount=2', /More than one process requires PostgreSQL/],
    ['autoscaling.enabled=true', /More than one process requires PostgreSQL/],
    [`${bundled},secrets.postgresqlPassword=0123456789abcdef,replicaCount=2`, /requires Valkey or Redis/],
    ['database.type=external,secrets.databaseUrl=postgres://db/floe', /PostgreSQL requires a secret key/],
    [bundled, /requires secrets.existingSecret or secrets.postgresqlPassword/],
    [`${bundled},secrets.postgresqlPassword=short`, /postgresqlPassword/],
    [`secrets.secretKey=short`, /secretKey/],
    ['replicas=2', /replicas/],
    ['ingress.enabled=true', /ingress/],
    ['database.type=mysql', /database/],
  ]) {
    const { status, output } = run(programs.helm, templateArguments(['--set', values]));
    assert.notEqual(status, 0, values);
    assert.match(output, reason, values);
  }
});

test('Floe starts with what the chart gives to its pod, and the probes succeed', async (t) => {
  const text = rendered.get('defaults');
  const { data } = objectsOf(text).find(({ kind }) => kind === 'ConfigMap');
  const [container] = containersOf(text);
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  for (const name of ['FLOE_CONFIG', 'FLOE_DATA_DIR', 'FLOE_PORT']) delete env[name];
  const yaml = data['floe.yaml'].replace('port: 9464', 'port: 0');
  const floe = await startFloeProcess({ yaml, env: { ...env, FLOE_SHUTDOWN_DELAY_MS: '0' } });
  t.after(() => floe.stop());
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
    (probe) => container[probe].httpGet.path,
  );
  assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz']);
  for (const path of paths) assert.equal((await fetch(floe.url + path)).status, 200, path);
  const metrics = [...floe.output().matchAll(/"(http:[^"]+)","surfaces":\["metrics"\]/g)][0]?.[1];
  assert.ok(metrics, floe.output());
  assert.equal((await fetch(`${metrics.replace('0.0.0.0', '127.0.0.1')}/metrics`)).status, 200);
  assert.equal((await fetch(`${floe.url}/metrics`)).status, 401);
});

test('the chart contains the alerting rules unchanged', () => {
  const rule = objectsOf(rendered.get('external.yaml')).find(({ kind }) => kind === 'PrometheusRule');
  assert.deepEqual(rule.spec, parse(readFileSync(RULES, 'utf8')));
});

test('the alerting rules of the chart use its name as the job', () => {
  const values = ['--values', join(VALUES, 'external.yaml'), '--set', 'nameOverride=gateway'];
  const objects = objectsOf(render(values));
  const { spec } = objects.find(({ kind }) => kind === 'PrometheusRule');
  const text = readFileSync(RULES, 'utf8');
  assert.ok(text.includes('job="floe"'));
  assert.deepEqual(spec, parse(text.replaceAll('job="floe"', 'job="gateway"')));
  const service = objects.find(
    ({ kind, metadata }) =>
      kind === 'Service' && metadata.labels['app.kubernetes.io/component'] === 'metrics',
  );
  assert.equal(service.metadata.labels['app.kubernetes.io/name'], 'gateway');
});

test('promtool accepts the alerting rules', () => {
  const { status, output } = run(programs.promtool, ['check', 'rules', RULES]);
  assert.equal(status, 0, output);
});

test('each alert fires in its case, and none for a healthy process', (t) => {
  const names = alerts().map(({ alert }) => alert);
  assert.deepEqual(Object.keys(RULE_CASES).sort(), names.sort());
  const home = mkdtempSync(join(tmpdir(), 'floe-rules-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const files = ruleTests(RULES).map((input, index) => {
    const file = join(home, `${index}.yaml`);
    writeFileSync(file, JSON.stringify(input));
    return file;
  });
  const { status, output } = run(programs.promtool, ['test', 'rules', ...files]);
  assert.equal(status, 0, output);
});

test('each alert has a severity, a summary and a section of the troubleshooting page', () => {
  const anchors = anchorsOf(readFileSync(join(root, 'docs/guides/troubleshoot.md'), 'utf8'));
  for (const { alert, labels, annotations } of alerts()) {
    assert.match(labels.severity, /^(?:critical|warning|info)$/, alert);
    assert.ok(annotations.summary && annotations.description, alert);
    const [page, anchor] = annotations.runbook_url.split('#');
    assert.ok(page.endsWith('/docs/guides/troubleshoot.md'), alert);
    assert.equal(anchor, alert.toLowerCase());
    assert.ok(anchors.includes(anchor), `docs/guides/troubleshoot.md has no section for ${alert}`);
  }
});

test('the documented thresholds are those of the rules', () => {
  const page = readFileSync(join(root, 'docs/guides/troubleshoot.md'), 'utf8');
  const guide = readFileSync(join(root, 'docs/guides/monitor-floe.md'), 'utf8');
  let count = 0;
  for (const { alert, expr } of alerts())
    for (const threshold of thresholdsOf(expr)) {
      count += 1;
      const section = page.split(`### ${alert}\n`)[1]?.split('\n#')[0];
      assert.ok(section?.includes(threshold), `${alert}: troubleshoot.md does not name ${threshold}`);
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${alert}\` |`));
      if (row !== undefined)
        assert.ok(row.includes(threshold), `${alert}: monitor-floe.md does not name ${threshold}`);
    }
  assert.ok(count >= 14);
});

test('the guide names the versions of Kubernetes that are checked', () => {
  const minor = KUBERNETES_VERSIONS.map((version) => version.split('.').slice(0, 2).join('.'));
  const page = readFileSync(join(root, 'docs/guides/deploy-on-kubernetes.md'), 'utf8');
  assert.ok(page.includes(`Kubernetes ${new Intl.ListFormat('en').format(minor)}`));
  assert.equal(minor[0], oldestOf(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')));
  assert.ok(page.includes(`Kubernetes ${minor[0]} or newer`));
});

/** The oldest minor version of Kubernetes that a Chart.yaml allows. */
function oldestOf(text) {
  return /^>=(\d+\.\d+)/.exec(parse(text).kubeVersion)[1];
}

/** Thresholds of an expression as the pages write them: shares as percentages, large numbers with commas. */
function thresholdsOf(expr) {
  const isShare = expr.includes(' / ') && !expr.includes('/ 168');
  return [...expr.matchAll(/ > ([\d.]+)/g)]
    .map(([, value]) => Number(value))
    .filter((value) => value > 0)
    .map((value) => (isShare && value < 1 ? `${value * 100}%` : value.toLocaleString('en')));
}

function alerts() {
  return parse(readFileSync(RULES, 'utf8')).groups.flatMap(({ rules }) => rules);
}

function templateArguments(values) {
  const version = ['--kube-version', KUBERNETES_VERSIONS[0]];
  return ['template', 'floe', CHART, '--namespace', 'floe', ...version, ...values];
}

function render(values) {
  const { status, output } = run(programs.helm, templateArguments(values));
  if (status !== 0) throw new Error(output);
  return output;
}

/** How many objects of a manifest are valid for a version of Kubernetes. */
function validate(text, version) {
  const schemas = SCHEMAS.flatMap((schema) => ['-schema-location', schema]);
  const args = ['-strict', '-output', 'json', '-summary', '-kubernetes-version', version, ...schemas, '-'];
  const { output } = run(programs.kubeconform, args, text);
  return { valid: JSON.parse(output).summary.valid, output };
}

function run(program, args, input) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', input });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}` };
}

function objectsOf(text) {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

function podsOf(text) {
  return objectsOf(text).flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template.spec]));
}

function containersOf(...texts) {
  return texts.flatMap(podsOf).flatMap(({ containers }) => containers);
}

/** The workload of the server. */
function workloadOf(name) {
  return objectsOf(rendered.get(name)).find(
    ({ kind, metadata }) => /^(?:Deployment|StatefulSet)$/.test(kind) && metadata.name === 'floe',
  );
}

function configFaults(text) {
  const { ok, lines } = checkConfigFile({
    env: readEnvironment({}),
    text,
    path: 'floe.yaml',
    validateSemantics: findConfigIssues,
    allowUnset: true,
  });
  return ok ? [] : lines;
}
