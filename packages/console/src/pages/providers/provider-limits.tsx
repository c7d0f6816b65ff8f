import type { WithETag } from '../../data/api-client.ts';
import { useEdit } from '../../data/edit.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type Provider, providerPath, TOUCHES } from './provider-data.ts';

const LIMITS = [
  ['connect_ms', 'Connection', 'To open it, TLS included.'],
  ['headers_ms', 'First byte', 'From sending the request to the first byte of the answer.'],
  ['first_token_ms', 'First token', 'From sending the request to the first content of a stream.'],
  ['idle_ms', 'Longest gap', 'Inside a stream; any byte ends it.'],
  ['total_ms', 'Whole attempt', 'From the first to the last byte.'],
] as const;

type LimitName = (typeof LIMITS)[number][0];
type LimitForm = Readonly<Record<LimitName, string>>;

const formOf = ({ timeouts }: Provider): LimitForm => ({
  connect_ms: formatNumberField(timeouts.connect_ms / 1000),
  headers_ms: formatNumberField(timeouts.headers_ms / 1000),
  first_token_ms: formatNumberField(timeouts.first_token_ms / 1000),
  idle_ms: formatNumberField(timeouts.idle_ms / 1000),
  total_ms: formatNumberField(timeouts.total_ms / 1000),
});

/** What was emptied is left out, which is the default. */
function write(form: LimitForm) {
  const given = LIMITS.flatMap(([name]) => {
    const seconds = parseNumberField(form[name]);
    if (seconds === null) return [];
    return [[name, typeof seconds === 'number' ? Math.round(seconds * 1000) : seconds]];
  });
  return { timeouts: Object.fromEntries(given) };
}

/** How long the provider may take; a route may be stricter. */
export function ProviderLimits({ read }: { readonly read: WithETag<Provider> }) {
  const edit = useEdit<Provider, LimitForm>({
    path: providerPath(read.body.id),
    read,
    formOf,
    write,
    touches: TOUCHES,
    done: () => showToast('The time limits hold for new requests.'),
  });
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={read.body.source} verb="Save time limits" showSource={false}>
        <div className="grid gap-4 sm:grid-cols-2">
          {LIMITS.map(([name, label, hint]) => (
            <FormField key={name} name={`timeouts.${name}`} label={`${label} (s)`} hint={hint}>
              <Input
                inputMode="decimal"
                value={edit.form[name]}
                placeholder="default"
                onChange={({ target }) => edit.set({ [name]: target.value })}
              />
            </FormField>
          ))}
        </div>
      </EditForm>
    </div>
  );
}
