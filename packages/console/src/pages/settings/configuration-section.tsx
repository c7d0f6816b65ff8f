import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { apiUrl } from '../../data/base.ts';
import { useLiveQuery } from '../../data/events.ts';
import { formatCount } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Card, DetailList } from '../../ui/cards.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { CodeArea } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { ConfigChangeList } from './config-changes.tsx';
import { configQuery, diffConfig, type RunningConfig } from './settings-data.ts';
import { text } from './text.ts';

/** The running configuration, a rejected file if there is one, and a comparison with a file. */
export function ConfigurationSection() {
  const { data, error, refetch } = useQuery(configQuery);
  useLiveQuery('config', configQuery.queryKey);
  if (error && !data)
    return <ErrorState what={text.configuration.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  return (
    <>
      <RejectedFile config={data} />
      <Running config={data} />
      <Compare />
    </>
  );
}

function RejectedFile({ config: { file, rejected, loaded_at } }: { readonly config: RunningConfig }) {
  if (!rejected) return null;
  const name = file ?? text.configuration.defaultFile;
  return (
    <Notice state="failing">
      <p className="font-medium">
        {text.configuration.rejected(name)} <TimeText at={rejected.at} />
        {text.configuration.rejectedRunning} <TimeText at={loaded_at} />
        {text.configuration.rejectedEnd}
      </p>
      <ul className="mt-1 grid gap-0.5">
        {rejected.problems.map(({ where, message, line }) => (
          <li key={`${where} ${message}`} className="break-words">
            <code className="font-mono text-code">
              {name}
              {line !== null && text.configuration.line(line)}
            </code>{' '}
            {where && text.configuration.problemAt(where)}
            {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Running({ config }: { readonly config: RunningConfig }) {
  const kinds = Object.entries(config.counts).filter(([, { file, console }]) => file + console > 0);
  const save = () => location.assign(apiUrl('api/management/config/export'));
  return (
    <Card title={text.configuration.running}>
      <div className="grid gap-4">
        <DetailList
          items={[
            [text.configuration.file, config.file ?? text.configuration.noFile],
            [text.configuration.loaded, <TimeText key="at" at={config.loaded_at} />],
            [
              text.configuration.version,
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
                  {text.configuration.kind}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {text.configuration.fromFile}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {text.configuration.fromConsole}
                </th>
              </tr>
            </thead>
            <tbody>
              {kinds.map(([kind, counts]) => (
                <tr key={kind} className="border-b border-line last:border-0">
                  <td className="py-1">{kind}</td>
                  <td className="py-1 text-right">{formatCount(counts.file)}</td>
                  <td className="py-1 text-right">{formatCount(counts.console)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button icon={Download} onClick={save}>
            {text.configuration.export}
          </Button>
          <span className="text-small text-ink-3">{text.configuration.exportHint}</span>
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
    <Card title={text.configuration.compare}>
      <Form
        error={compare.error}
        running={compare.running}
        unsaved={false}
        onSubmit={() => compare.run(undefined)}
        actions={
          <Button type="submit" needs="management" busy={compare.running} disabled={yaml.trim() === ''}>
            {text.configuration.compareSubmit}
          </Button>
        }
      >
        <FormField name="yaml" label={text.configuration.compareLabel} hint={text.configuration.compareHint}>
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
