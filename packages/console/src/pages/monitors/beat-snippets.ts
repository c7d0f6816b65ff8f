import type { Snippet } from '../../ui/code-block.tsx';

/**
 * Returns code that sends a beat, in several languages. Each snippet waits for the response of Floe, and exits
 * with an error if sending fails. The snippets read the key from the environment. Monitor IDs need no escaping,
 * because they contain only letters, digits, ".", "_" and "-".
 * @param heartbeat The URL of `POST /api/monitoring/heartbeat`.
 * @param beatUrl The secret beat URL of the monitor, or null if the member may not see it.
 */
export function buildBeatSnippets(id: string, heartbeat: string, beatUrl: string | null): readonly Snippet[] {
  const curl = `curl -fsS --retry 3 -X POST ${heartbeat} \\
  -H "X-API-Key: $FLOE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"monitor_id":"${id}"}'`;
  return [
    { label: 'curl', code: curl },
    {
      label: 'TypeScript',
      code: `import { env } from 'node:process';

const answer = await fetch('${heartbeat}', {
  method: 'POST',
  headers: { 'x-api-key': env.FLOE_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ monitor_id: '${id}', metadata: { host: 'db-1' } }),
});
if (!answer.ok) throw new Error(\`beat failed: \${answer.status}\`);`,
    },
    {
      label: 'Python',
      code: `import json, os, urllib.request

request = urllib.request.Request(
    "${heartbeat}",
    data=json.dumps({"monitor_id": "${id}", "metadata": {"host": "db-1"}}).encode(),
    headers={"X-API-Key": os.environ["FLOE_API_KEY"], "Content-Type": "application/json"},
)
urllib.request.urlopen(request, timeout=10)`,
    },
    ...scheduledSnippets(id, beatUrl),
  ];
}

/** Returns snippets for schedulers. They use the secret beat URL. Requests to this URL need no header. */
function scheduledSnippets(id: string, beatUrl: string | null): readonly Snippet[] {
  return [
    {
      label: 'crontab',
      code: `# The exit status tells Floe whether the job succeeded
0 3 * * * /usr/local/bin/job; curl -fsS -m 10 --retry 3 -o /dev/null ${beatUrl ?? '$FLOE_BEAT_URL'}/$?`,
    },
    {
      label: 'Kubernetes',
      code: `apiVersion: batch/v1
kind: CronJob
metadata: { name: ${id.replace(/[^a-z0-9-]/g, '-')} }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          initContainers:
            - { name: job, image: registry.example.com/job:1 }
          containers:
            - name: beat
              image: curlimages/curl
              args: ["-fsS", "--retry", "3", "-X", "POST", "$(FLOE_BEAT_URL)"]
              env:
                - name: FLOE_BEAT_URL
                  valueFrom: { secretKeyRef: { name: floe, key: ${id} } }`,
    },
    {
      label: 'GitHub Actions',
      code: `- name: Report to Floe
  if: always()
  run: curl -fsS --retry 3 -X POST "$BEAT_URL/\${{ job.status == 'success' && '0' || '1' }}"
  env:
    BEAT_URL: \${{ secrets.FLOE_BEAT_URL }}`,
    },
    ...(beatUrl === null
      ? []
      : [
          {
            label: 'URL',
            code: `# Keep this URL secret: anyone who has it can send beats\ncurl -fsS --retry 3 -X POST ${beatUrl}`,
          },
        ]),
  ];
}
