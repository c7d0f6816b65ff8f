import { FileText } from 'lucide-react';
import { Suspense } from 'react';
import { lazyWithFailureNotice } from './lazy-with-failure-notice.tsx';
import { Tooltip } from './tooltip.tsx';

/** Where a resource is defined: a line of floe.yaml, or the API or the console. */
export type ResourceSource =
  | { readonly kind: 'file'; readonly file?: string | null; readonly line?: number | null }
  | { readonly kind: 'console' };

/** Shows where a resource is defined, as `floe.yaml:41` or `API or console`. */
export function SourceBadge({ source }: { readonly source: ResourceSource }) {
  if (source.kind === 'console') return <span className="text-small text-ink-3">API or console</span>;
  return (
    <Tooltip text="Defined in this file. To make changes, edit the file. Floe reloads the file automatically.">
      <span className="inline-flex items-center gap-1 align-bottom font-mono text-code text-ink-2">
        <FileText size={14} strokeWidth={1.75} aria-hidden="true" />
        {placeOf(source)}
      </span>
    </Tooltip>
  );
}

const CopyYaml = lazyWithFailureNotice(() =>
  import('./copy-yaml-button.tsx').then(({ CopyYamlButton: Part }) => Part),
);

/** Renders a notice above the form of a resource from floe.yaml, with the line that defines the resource. */
export function ManagedByFileNotice({
  source,
  path,
}: {
  readonly source: ResourceSource;
  /** API path of the resource. Absent if the resource is not an entry of a list, such as a setting. */
  readonly path?: string | undefined;
}) {
  if (source.kind === 'console') return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control border border-line bg-sunken px-3 py-2 text-ui text-ink-2">
      <FileText size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 flex-1 basis-56">
        Defined in <code className="font-mono text-code text-accent-ink">{placeOf(source)}</code>. To make
        changes, edit the file. Floe reloads the file automatically.
      </span>
      {path !== undefined && (
        <Suspense>
          <CopyYaml path={path} />
        </Suspense>
      )}
    </div>
  );
}

function placeOf({ file, line }: Extract<ResourceSource, { kind: 'file' }>): string {
  const name = file?.split('/').at(-1) ?? 'floe.yaml';
  return line === null || line === undefined ? name : `${name}:${line}`;
}
