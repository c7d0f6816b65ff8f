import type { configEntry } from '@floe/contract/api/config';
import { EXPORTABLE_CONFIG_SECTIONS } from '@floe/contract/exportable-config-sections';
import type * as z from 'zod';
import { getJson } from '../data/api-client.ts';
import { useApiMutation } from '../data/api-mutation.ts';
import { Button } from './button.tsx';
import { copyText } from './copy-button.tsx';
import { showToast } from './toast.tsx';

/**
 * Renders a button that copies a resource as YAML for floe.yaml. Renders nothing for a resource that cannot
 * have its own entry in the file.
 */
export function CopyYamlButton({ path }: { readonly path: string }) {
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

/**
 * Converts a resource path such as `api/management/routes/smart` to the API path of its YAML text. Returns
 * null if it has none.
 */
function entryAddress(path: string): string | null {
  const [kind = '', id = ''] = path.split('/').slice(-2);
  return EXPORTABLE_CONFIG_SECTIONS.some((known) => known === kind)
    ? `api/management/config/entries/${kind}/${id}`
    : null;
}
