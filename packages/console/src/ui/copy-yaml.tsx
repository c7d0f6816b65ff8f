import type { configEntry } from '@floe/contract/api/config';
import { EXPORTED_CONFIG_SECTIONS } from '@floe/contract/exported-config-sections';
import type * as z from 'zod';
import { getJson } from '../data/api-client.ts';
import { useApiMutation } from '../data/api-mutation.ts';
import { Button } from './button.tsx';
import { copyText } from './copy-button.tsx';
import { showToast } from './toast.tsx';

/** Takes what a resource says as text for floe.yaml. Nothing for what the file does not say entry by entry. */
export function CopyYaml({ path }: { readonly path: string }) {
  const address = entryAddress(path);
  const copy = useApiMutation(
    (from: string) => getJson<z.output<typeof configEntry>>(from).then(({ yaml }) => copyText(yaml)),
    {
      done: () => showToast('YAML copied. Add it to the organization in floe.yaml.'),
    },
  );
  if (address === null) return null;
  return (
    <>
      <Button busy={copy.running} onClick={() => copy.run(address)}>
        Copy as YAML
      </Button>
      {copy.error && <span className="basis-full text-small text-failing-ink">{copy.error.message}</span>}
    </>
  );
}

/** `api/management/routes/smart` to where its text is. */
function entryAddress(path: string): string | null {
  const [kind = '', id = ''] = path.split('/').slice(-2);
  return EXPORTED_CONFIG_SECTIONS.some((known) => known === kind)
    ? `api/management/config/entries/${kind}/${id}`
    : null;
}
