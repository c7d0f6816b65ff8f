import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatTokens } from '../../format/amounts.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import { LISTED, type Model, priceSource, priceText } from './model-words.ts';
import { OwnPrice } from './own-price.tsx';

/** One model: what it takes, what it costs and says who, and who may use it. */
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
    <Drawer title="Model" about={id} onClose={onClose}>
      <DrawerHead
        title={
          <span className="flex items-center gap-1 font-mono text-code">
            {id} <CopyButton text={id} label="Copy model id" />
          </span>
        }
        onClose={onClose}
      >
        {model && (model.kind === 'alias' ? 'Alias of a route' : `Model of ${model.provider}`)}
      </DrawerHead>
      {model ? (
        <Facts model={model} />
      ) : (
        <EmptyState title="Not in this list">The filters leave this model out, or it is gone.</EmptyState>
      )}
    </Drawer>
  );
}

function Facts({ model }: { readonly model: Model }) {
  const { targets, aliases, keys, provider } = model;
  const more = keys.count - keys.names.length;
  return (
    <div className="grid gap-4 p-4 md:p-6">
      <DetailList
        items={[
          ['Named by', LISTED[model.listed_by]],
          [
            'Context window',
            model.context_window === null ? null : `${formatTokens(model.context_window)} tokens`,
          ],
          [
            'Most output',
            model.max_output_tokens === null ? null : `${formatTokens(model.max_output_tokens)} tokens`,
          ],
          ['Goes to', targets.length > 0 ? targets.join(', ') : null],
          [
            'Routes',
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
        <Card title="Price" aside={priceSource(model)}>
          <Prices model={model} />
          <OwnPrice key={model.id} model={model} provider={provider} />
        </Card>
      )}
      <Card title="Keys that may use it" aside={formatCount(keys.count)}>
        {keys.count === 0 ? (
          <p className="text-ui text-ink-2">None: no working key has the scope gateway and this model.</p>
        ) : (
          <p className="flex flex-wrap gap-1">
            {keys.names.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
            {more > 0 && <span className="text-ui text-ink-2">and {formatCount(more)} more</span>}
          </p>
        )}
      </Card>
    </div>
  );
}

function Prices({ model: { prices } }: { readonly model: Model }) {
  if (prices === null)
    return (
      <p className="text-ui text-ink-2">
        Nobody knows what it costs: its requests have the cost “unknown”, and budgets cannot count them. Give
        it a price.
      </p>
    );
  return (
    <DetailList
      items={[
        ['Input', priceText(prices.input_usd)],
        ['Output', priceText(prices.output_usd)],
        ['Cache read', priceText(prices.cache_read_usd)],
        ['Cache write', priceText(prices.cache_write_usd)],
        ...prices.tiers.map(
          ({ above_input_tokens, input_usd, output_usd }) =>
            [
              `Above ${formatTokens(above_input_tokens)} input`,
              `${priceText(input_usd)} in, ${priceText(output_usd)} out`,
            ] as const,
        ),
      ]}
    />
  );
}
