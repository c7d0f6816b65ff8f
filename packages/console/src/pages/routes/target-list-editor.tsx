import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { modelLookupQuery } from '../../data/lookup-queries.ts';
import { createRowKey } from '../../data/row-key.ts';
import { formatPercent } from '../../format/amounts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Input, type SelectOption } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { SortableList } from '../../ui/sortable-list.tsx';
import { computeTargetShares, type RouteFormValues, type TargetFormValues } from './route-form.ts';
import { type BreakersByModel, TargetStatus } from './target-status.tsx';
import { routesText } from './text.ts';

/**
 * Renders an editor for the targets of a route, in the order in which they are tried. Targets can be reordered
 * by dragging or with the keyboard.
 */
export function TargetListEditor({
  form,
  states,
  onChange,
}: {
  readonly form: RouteFormValues;
  readonly states: BreakersByModel;
  readonly onChange: (targets: readonly TargetFormValues[]) => void;
}) {
  const { targets, strategy } = form;
  const models = useModelIds();
  const shares = computeTargetShares(targets);
  const set = (key: string, fields: Partial<TargetFormValues>) =>
    onChange(targets.map((target) => (target.key === key ? { ...target, ...fields } : target)));
  return (
    <div className="grid gap-2">
      {targets.length === 0 ? (
        <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{routesText.targets.none}</p>
      ) : (
        <SortableList
          label={routesText.targets.label}
          items={targets}
          itemKey={({ key }) => key}
          nameOf={({ model }) => model || routesText.targets.newTarget}
          onChange={onChange}
        >
          {(target, index) => (
            <TargetRow
              target={target}
              index={index}
              states={states}
              models={models}
              share={strategy === 'weighted' ? (shares[index] ?? 0) : null}
              onChange={set}
              onRemove={() => onChange(targets.filter(({ key }) => key !== target.key))}
            />
          )}
        </SortableList>
      )}
      <div>
        <Button
          icon={Plus}
          onClick={() => onChange([...targets, { key: createRowKey(), model: '', weight: '1' }])}
        >
          {routesText.targets.add}
        </Button>
      </div>
    </div>
  );
}

function TargetRow({
  target,
  index,
  states,
  models,
  share,
  onChange,
  onRemove,
}: {
  readonly target: TargetFormValues;
  readonly index: number;
  readonly states: BreakersByModel;
  readonly models: readonly SelectOption[];
  /** Share of traffic, or null if the strategy does not use weights. */
  readonly share: number | null;
  readonly onChange: (key: string, fields: Partial<TargetFormValues>) => void;
  readonly onRemove: () => void;
}) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <FormField name={`targets[${index}].model`} label={routesText.targets.target(index + 1)} hideLabel>
          <Combobox
            free
            choices={models}
            value={target.model}
            onChange={(model) => onChange(target.key, { model })}
            placeholder={routesText.targets.placeholder}
          />
        </FormField>
      </div>
      <TargetStatus states={states} model={target.model} />
      {share !== null && <Weight target={target} index={index} share={share} onChange={onChange} />}
      <IconButton
        icon={X}
        label={routesText.targets.remove(target.model || routesText.targets.newTarget)}
        onClick={onRemove}
      />
    </div>
  );
}

function Weight({
  target,
  index,
  share,
  onChange,
}: {
  readonly target: TargetFormValues;
  readonly index: number;
  readonly share: number;
  readonly onChange: (key: string, fields: Partial<TargetFormValues>) => void;
}) {
  return (
    <div className="flex items-center gap-2">
      <span aria-hidden="true" className="text-small text-ink-2">
        {routesText.targets.weightLabel}
      </span>
      <div className="w-16">
        <FormField name={`targets[${index}].weight`} label={routesText.targets.weight(index + 1)} hideLabel>
          <Input
            type="number"
            min={0}
            step="any"
            value={target.weight}
            onChange={(event) => onChange(target.key, { weight: event.target.value })}
          />
        </FormField>
      </div>
      <span aria-hidden="true" className="h-1.5 w-16 overflow-hidden rounded-full bg-sunken max-sm:hidden">
        <span className="block h-full bg-series-1" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="w-12 text-right text-ui text-ink-2 figures">{formatPercent(share)}</span>
    </div>
  );
}

function useModelIds() {
  const { data } = useQuery(modelLookupQuery);
  return (data?.data ?? [])
    .filter(({ kind }) => kind === 'model')
    .map(({ id }) => ({ value: id, label: id }));
}
