import type { ResourceWithETag } from '../../data/api-client.ts';
import { usePatchForm } from '../../data/use-patch-form.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { buildProviderApiPath, PROVIDER_QUERY_KEYS, type ProviderResource } from './provider-data.ts';
import { providersText } from './text.ts';

const TIMEOUTS = ['connect_ms', 'headers_ms', 'first_token_ms', 'idle_ms', 'total_ms'] as const;

type TimeoutName = (typeof TIMEOUTS)[number];
type TimeoutForm = Readonly<Record<TimeoutName, string>>;

const formOf = ({ timeouts }: ProviderResource): TimeoutForm => ({
  connect_ms: formatNumberField(timeouts.connect_ms / 1000),
  headers_ms: formatNumberField(timeouts.headers_ms / 1000),
  first_token_ms: formatNumberField(timeouts.first_token_ms / 1000),
  idle_ms: formatNumberField(timeouts.idle_ms / 1000),
  total_ms: formatNumberField(timeouts.total_ms / 1000),
});

/** Converts the form to the request body. Omits empty fields, so that their defaults apply. */
function write(form: TimeoutForm) {
  const given = TIMEOUTS.flatMap((name) => {
    const seconds = parseNumberField(form[name]);
    if (seconds === null) return [];
    return [[name, typeof seconds === 'number' ? Math.round(seconds * 1000) : seconds]];
  });
  return { timeouts: Object.fromEntries(given) };
}

/** Renders the form for the timeouts of a provider. A route can override them. */
export function ProviderTimeoutsForm({ loaded }: { readonly loaded: ResourceWithETag<ProviderResource> }) {
  const edit = usePatchForm<ProviderResource, TimeoutForm>({
    path: buildProviderApiPath(loaded.body.id),
    loaded,
    formOf,
    write,
    touches: PROVIDER_QUERY_KEYS,
    done: () => showToast(providersText.timeouts.saved),
  });
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={loaded.body.source} verb={providersText.timeouts.save} showSource={false}>
        <div className="grid gap-4 sm:grid-cols-2">
          {TIMEOUTS.map((name) => (
            <FormField
              key={name}
              name={`timeouts.${name}`}
              label={providersText.timeouts.seconds(providersText.timeouts[name].label)}
              hint={providersText.timeouts[name].hint}
            >
              <Input
                inputMode="decimal"
                value={edit.form[name]}
                placeholder={providersText.timeouts.default}
                data-shows-default=""
                onChange={({ target }) => edit.set({ [name]: target.value })}
              />
            </FormField>
          ))}
        </div>
      </EditForm>
    </div>
  );
}
