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

/** Which configuration runs, what was refused since, and how it differs from a file. */
export function ConfigurationSection() {
  const { data, error, refetch } = useQuery(configQuery);
  useLiveQuery('config', configQuery.queryKey);
  if (error && !data)
    return (
      <ErrorState what="Could not load the configuration." error={error} onRetry={() => void refetch()} />
    );
  if (!data) return <Skeleton className="h-64" />;
  return (
    <>
      <Refused config={data} />
      <Running config={data} />
      <Compare />
    </>
  );
}

function Refused({ config: { file, rejected: refused, loaded_at } }: { readonly config: RunningConfig }) {
  if (!refused) return null;
  return (
    <Notice state="failing">
      <p className="font-medium">
        {file ?? 'floe.yaml'} was refused <TimeText at={refused.at} />. The running configuration is from{' '}
        <TimeText at={loaded_at} />.
      </p>
      <ul className="mt-1 grid gap-0.5">
        {refused.problems.map(({ where, message, line }) => (
          <li key={`${where} ${message}`} className="break-words">
            <code className="font-mono text-code">
              {file ?? 'floe.yaml'}
              {line !== null && `:${line}`}
            </code>{' '}
            {where && `${where}: `}
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
    <Card title="Running configuration">
      <div className="grid gap-4">
        <DetailList
          items={[
            ['File', config.file ?? 'none: everything stands in the console'],
            ['Taken over', <TimeText key="at" at={config.loaded_at} />],
            [
              'Version',
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
                  Kind
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  From the file
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  From the console
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
            Export as floe.yaml
          </Button>
          <span className="text-small text-ink-3">The org as it runs. Secrets are names of variables.</span>
        </div>
      </div>
    </Card>
  );
}

/** What a file would change here. Nothing is changed by asking. */
function Compare() {
  const [yaml, setYaml] = useState('');
  const [compared, setCompared] = useState<Awaited<ReturnType<typeof diffConfig>> | null>(null);
  const compare = useApiMutation(() => diffConfig(yaml), { done: setCompared });
  return (
    <Card title="Compare with a file">
      <Form
        error={compare.error}
        running={compare.running}
        unsaved={false}
        onSubmit={() => compare.run(undefined)}
        actions={
          <Button type="submit" needs="management" busy={compare.running} disabled={yaml.trim() === ''}>
            Compare
          </Button>
        }
      >
        <FormField
          name="yaml"
          label="Text of a floe.yaml"
          hint="Shows what applying it would create and change. Nothing is changed. Apply it with: floe config apply"
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
