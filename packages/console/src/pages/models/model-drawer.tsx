import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatTokens } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHeader } from '../../ui/drawer-header.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import { describePriceSource, formatModelPrice, type ModelResource } from './model-price.ts';
import { ModelPriceOverride } from './model-price-override.tsx';
import { modelsText } from './text.ts';

/** Shows a model: its limits, its price and the keys that can use it. */
export function ModelDrawer({
  id,
  model,
  onClose,
}: {
  readonly id: string;
  readonly model: ModelResource | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Drawer title={modelsText.drawer.title} about={id} onClose={onClose}>
      <DrawerHeader
        title={
          <span className="flex items-center gap-1 font-mono text-code">
            {id} <CopyButton text={id} label={modelsText.drawer.copyId} />
          </span>
        }
        onClose={onClose}
      >
        {model &&
          (model.kind === 'alias' ? modelsText.drawer.alias : modelsText.drawer.model(model.provider ?? ''))}
      </DrawerHeader>
      {model ? (
        <ModelDetails model={model} />
      ) : (
        <EmptyState title={modelsText.drawer.notListed.title}>{modelsText.drawer.notListed.text}</EmptyState>
      )}
    </Drawer>
  );
}

function ModelDetails({ model }: { readonly model: ModelResource }) {
  const { targets, aliases, keys, provider } = model;
  const more = keys.count - keys.names.length;
  return (
    <div className="grid gap-4 p-4 md:p-6">
      <DetailList
        items={[
          [modelsText.drawer.listedBy, modelsText.drawer.sources[model.listed_by]],
          [
            modelsText.drawer.context,
            model.context_window === null
              ? null
              : modelsText.drawer.tokens(formatTokens(model.context_window)),
          ],
          [
            modelsText.drawer.maxOutput,
            model.max_output_tokens === null
              ? null
              : modelsText.drawer.tokens(formatTokens(model.max_output_tokens)),
          ],
          [modelsText.drawer.targets, targets.length > 0 ? targets.join(', ') : null],
          [
            modelsText.drawer.routes,
            aliases.length > 0 ? (
              <span key="routes" className="flex flex-wrap gap-2">
                {aliases.map((alias) => (
                  <OrgLink key={alias} to={`/management/routes/${encodeURIComponent(alias)}`}>
                    {alias}
                  </OrgLink>
                ))}
              </span>
            ) : null,
          ],
        ]}
      />
      {model.kind === 'model' && provider !== null && (
        <Card title={modelsText.price.title} aside={describePriceSource(model)}>
          <Prices model={model} />
          <ModelPriceOverride key={model.id} model={model} provider={provider} />
        </Card>
      )}
      <Card title={modelsText.drawer.keys} aside={formatCount(keys.count)}>
        {keys.count === 0 ? (
          <p className="text-ui text-ink-2">{modelsText.drawer.noKeys}</p>
        ) : (
          <p className="flex flex-wrap gap-1">
            {keys.names.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
            {more > 0 && (
              <span className="text-ui text-ink-2">{modelsText.drawer.moreKeys(formatCount(more))}</span>
            )}
          </p>
        )}
      </Card>
    </div>
  );
}

function Prices({ model: { prices } }: { readonly model: ModelResource }) {
  if (prices === null) return <p className="text-ui text-ink-2">{modelsText.price.missing}</p>;
  return (
    <DetailList
      items={[
        [modelsText.price.input, formatModelPrice(prices.input_usd)],
        [modelsText.price.output, formatModelPrice(prices.output_usd)],
        [modelsText.price.cacheRead, formatModelPrice(prices.cache_read_usd)],
        [modelsText.price.cacheWrite, formatModelPrice(prices.cache_write_usd)],
        ...prices.tiers.map(
          ({ above_input_tokens, input_usd, output_usd }) =>
            [
              modelsText.price.tier(formatTokens(above_input_tokens)),
              modelsText.price.tierPrice(formatModelPrice(input_usd), formatModelPrice(output_usd)),
            ] as const,
        ),
      ]}
    />
  );
}
