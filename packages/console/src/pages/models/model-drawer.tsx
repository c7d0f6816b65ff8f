import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatTokens } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import { describePriceSource, formatModelPrice, type Model } from './model-price.ts';
import { ModelPriceOverride } from './model-price-override.tsx';
import { text } from './text.ts';

/** One model: its limits, its price and the keys that can use it. */
export function ModelDrawer({
  id,
  model,
  onClose,
}: {
  readonly id: string;
  readonly model: Model | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Drawer title={text.drawer.title} about={id} onClose={onClose}>
      <DrawerHead
        title={
          <span className="flex items-center gap-1 font-mono text-code">
            {id} <CopyButton text={id} label={text.drawer.copyId} />
          </span>
        }
        onClose={onClose}
      >
        {model && (model.kind === 'alias' ? text.drawer.alias : text.drawer.model(model.provider ?? ''))}
      </DrawerHead>
      {model ? (
        <ModelDetails model={model} />
      ) : (
        <EmptyState title={text.drawer.notListed.title}>{text.drawer.notListed.text}</EmptyState>
      )}
    </Drawer>
  );
}

function ModelDetails({ model }: { readonly model: Model }) {
  const { targets, aliases, keys, provider } = model;
  const more = keys.count - keys.names.length;
  return (
    <div className="grid gap-4 p-4 md:p-6">
      <DetailList
        items={[
          [text.drawer.listedBy, text.drawer.sources[model.listed_by]],
          [
            text.drawer.context,
            model.context_window === null ? null : text.drawer.tokens(formatTokens(model.context_window)),
          ],
          [
            text.drawer.maxOutput,
            model.max_output_tokens === null
              ? null
              : text.drawer.tokens(formatTokens(model.max_output_tokens)),
          ],
          [text.drawer.targets, targets.length > 0 ? targets.join(', ') : null],
          [
            text.drawer.routes,
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
        <Card title={text.price.title} aside={describePriceSource(model)}>
          <Prices model={model} />
          <ModelPriceOverride key={model.id} model={model} provider={provider} />
        </Card>
      )}
      <Card title={text.drawer.keys} aside={formatCount(keys.count)}>
        {keys.count === 0 ? (
          <p className="text-ui text-ink-2">{text.drawer.noKeys}</p>
        ) : (
          <p className="flex flex-wrap gap-1">
            {keys.names.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
            {more > 0 && (
              <span className="text-ui text-ink-2">{text.drawer.moreKeys(formatCount(more))}</span>
            )}
          </p>
        )}
      </Card>
    </div>
  );
}

function Prices({ model: { prices } }: { readonly model: Model }) {
  if (prices === null) return <p className="text-ui text-ink-2">{text.price.missing}</p>;
  return (
    <DetailList
      items={[
        [text.price.input, formatModelPrice(prices.input_usd)],
        [text.price.output, formatModelPrice(prices.output_usd)],
        [text.price.cacheRead, formatModelPrice(prices.cache_read_usd)],
        [text.price.cacheWrite, formatModelPrice(prices.cache_write_usd)],
        ...prices.tiers.map(
          ({ above_input_tokens, input_usd, output_usd }) =>
            [
              text.price.tier(formatTokens(above_input_tokens)),
              text.price.tierPrice(formatModelPrice(input_usd), formatModelPrice(output_usd)),
            ] as const,
        ),
      ]}
    />
  );
}
