import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { startDownload } from '../../data/download.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatCount } from '../../format/amounts.ts';
import { capitalize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card, DetailList } from '../../ui/cards.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { CodeArea } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { ConfigChangeList } from './config-change-list.tsx';
import { diffConfig, type RunningConfigStatus, runningConfigStatusQuery } from './settings-data.ts';
import { settingsText } from './text.ts';

/**
 * Shows the running configuration and why the last file was rejected, and compares a file with the running
 * configuration.
 */
export function ConfigurationSection() {
  const { data, error, refetch } = useQuery(runningConfigStatusQuery);
  useRefetchOnEvent('config', runningConfigStatusQuery.queryKey);
  if (error && !data)
    return (
      <ErrorState what={settingsText.configuration.loadFailed} error={error} onRetry={() => void refetch()} />
    );
  if (!data) return <Skeleton className="h-64" />;
  return (
    <>
      <RejectedFile config={data} />
      <Running config={data} />
      <Compare />
    </>
  );
}

function RejectedFile({ config: { file, rejected, loaded_at } }: { readonly config: RunningConfigStatus }) {
  if (!rejected) return null;
  const name = file ?? settingsText.configuration.defaultFile;
  return (
    <Notice state="failing">
      <p className="font-medium">
        {settingsText.configuration.rejected(name)} <RelativeTimeText at={rejected.at} />
        {settingsText.configuration.rejectedRunning} <RelativeTimeText at={loaded_at} />
        {settingsText.configuration.rejectedEnd}
      </p>
      <ul className="mt-1 grid gap-0.5">
        {rejected.problems.map(({ where, message, line }) => (
          <li key={`${where} ${message}`} className="break-words">
            <code className="font-mono text-code">
              {name}
              {line !== null && settingsText.configuration.line(line)}
            </code>{' '}
            {where && settingsText.configuration.problemAt(where)}
            {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Running({ config }: { readonly config: RunningConfigStatus }) {
  const kinds = Object.entries(config.counts).filter(([, { file, console }]) => file + console > 0);
  const save = () => startDownload('api/management/config/export', 'floe.yaml');
  return (
    <Card title={settingsText.configuration.running}>
      <div className="grid gap-4">
        <DetailList
          items={[
            [settingsText.configuration.file, config.file ?? settingsText.configuration.noFile],
            [settingsText.configuration.loaded, <RelativeTimeText key="at" at={config.loaded_at} />],
            [
              settingsText.configuration.version,
              <code key="version" className="font-mono text-code">
                {config.version}
              </code>,
            ],
          ]}
        />
        {kinds.length > 0 && (
          <table className="text-ui figures">
            <thead>
              <tr className="border-b border-line text-left text-label text-ink-2">
                <th scope="col" className="py-1 font-medium">
                  {settingsText.configuration.kind}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {settingsText.configuration.fromFile}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {settingsText.configuration.fromConsole}
                </th>
              </tr>
            </thead>
            <tbody>
              {kinds.map(([kind, counts]) => (
                <tr key={kind} className="border-b border-line last:border-0">
                  <td className="py-1">{capitalize(kind.replaceAll('_', ' '))}</td>
                  <td className="py-1 text-right">{formatCount(counts.file)}</td>
                  <td className="py-1 text-right">{formatCount(counts.console)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button icon={Download} onClick={save}>
            {settingsText.configuration.export}
          </Button>
          <span className="text-small text-ink-3">{settingsText.configuration.exportHint}</span>
        </div>
      </div>
    </Card>
  );
}

/** Compares a file with the running configuration without applying it. */
function Compare() {
  const [yaml, setYaml] = useState('');
  const [compared, setCompared] = useState<Awaited<ReturnType<typeof diffConfig>> | null>(null);
  const compare = useApiMutation(() => diffConfig(yaml), { done: setCompared });
  return (
    <Card title={settingsText.configuration.compare}>
      <Form
        error={compare.error}
        running={compare.running}
        unsaved={false}
        onSubmit={() => compare.run(undefined)}
        actions={
          <Button type="submit" needs="management" busy={compare.running} disabled={yaml.trim() === ''}>
            {settingsText.configuration.compareSubmit}
          </Button>
        }
      >
        <FormField
          name="yaml"
          label={settingsText.configuration.compareLabel}
          hint={settingsText.configuration.compareHint}
        >
          <CodeArea
            rows={6}
            value={yaml}
            onChange={({ target }) => {
              setYaml(target.value);
              setCompared(null);
            }}
          />
        </FormField>
      </Form>
      {compared && <ConfigChangeList compared={compared} />}
    </Card>
  );
}
