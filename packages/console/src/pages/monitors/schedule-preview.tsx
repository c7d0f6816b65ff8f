import type { schedulePreview } from '@floe/contract/api/monitors';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { getFieldErrorMessage } from '../../data/field-error-message.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import { formatMinutes, parseMinutes } from '../../format/minutes.ts';
import { formatFullDateTime, formatTimeOrDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Skeleton } from '../../ui/feedback.tsx';
import { monitorEditorText } from './monitor-editor-text.ts';
import { type MonitorFormValues, toSchedulePreviewBody } from './monitor-form.ts';
import { describeCron } from './monitor-schedule.ts';

type Preview = z.output<typeof schedulePreview>;

/** Describes the schedule and lists the next expected beats. The server computes the beats. */
export function SchedulePreview({
  form,
  lastBeatAt = null,
}: {
  readonly form: MonitorFormValues;
  /** The time of the last beat, from which an interval is counted. */
  readonly lastBeatAt?: string | null;
}) {
  const settled = useDebouncedValue(toSchedulePreviewBody(form, lastBeatAt, getCurrentTime()));
  const incomplete = form.kind === 'interval' && parseMinutes(form.interval) === null;
  const { data, error } = useQuery({
    queryKey: ['schedule', settled],
    queryFn: () => sendJson<Preview>('POST', 'api/monitoring/schedule/preview', settled),
    enabled: !incomplete,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <section
      aria-label={monitorEditorText.preview.title}
      className="rounded-card border border-line bg-sunken px-4 py-3 text-ui"
    >
      <h2 className="text-label text-ink-2">{monitorEditorText.preview.title}</h2>
      {incomplete ? (
        <p className="mt-1 text-ink-2">{monitorEditorText.preview.noInterval}</p>
      ) : error ? (
        <p className="mt-1 text-failing-ink">{getFieldErrorMessage(error)}</p>
      ) : data ? (
        <ScheduleSummary form={form} preview={data} />
      ) : (
        <Skeleton className="mt-2 h-16" />
      )}
    </section>
  );
}

function ScheduleSummary({ form, preview }: { readonly form: MonitorFormValues; readonly preview: Preview }) {
  const [first] = preview.data;
  const grace = preview.grace_period_minutes;
  const sentence =
    form.kind === 'interval'
      ? monitorEditorText.preview.interval(formatMinutes(parseMinutes(form.interval) ?? 0))
      : monitorEditorText.preview.cron(
          describeCron(form.cron) ?? monitorEditorText.preview.cronExpression(form.cron.trim()),
          preview.timezone,
        );
  return (
    <>
      <p className="mt-1 font-medium">{sentence}</p>
      <p className="text-ink-2">
        {grace === 0
          ? monitorEditorText.preview.noGrace
          : monitorEditorText.preview.grace(formatMinutes(grace))}
        {first &&
          ` ${monitorEditorText.preview.fails(formatTimeOrDateTime(new Date(first.deadline_at), getBrowserTimeZone(), getCurrentTime()), getBrowserTimeZone())}`}
      </p>
      <NextRuns preview={preview} />
      {zoneNames(preview).length > 1 && (
        <p className="mt-2 text-small text-warning-ink">
          {monitorEditorText.preview.clockChange(zoneNames(preview))}
        </p>
      )}
    </>
  );
}

function NextRuns({ preview: { data, timezone } }: { readonly preview: Preview }) {
  const mine = getBrowserTimeZone();
  const both = timezone !== mine;
  if (data.length === 0) return <p className="mt-2 text-failing-ink">{monitorEditorText.preview.never}</p>;
  return (
    <table className="mt-2 w-full max-w-xl text-left text-small figures">
      <caption className="sr-only">{monitorEditorText.preview.table}</caption>
      <thead className="text-ink-2">
        <tr>
          <th scope="col" className="py-1 pr-4 font-medium">
            {monitorEditorText.preview.expected(timezone)}
          </th>
          {both && (
            <th scope="col" className="py-1 pr-4 font-medium">
              {monitorEditorText.preview.local(mine)}
            </th>
          )}
          <th scope="col" className="py-1 font-medium">
            {monitorEditorText.preview.failsAt(mine)}
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map(({ expected_at, deadline_at }) => (
          <tr key={expected_at} className="border-t border-line">
            <td className="py-1 pr-4">{formatFullDateTime(new Date(expected_at), timezone)}</td>
            {both && <td className="py-1 pr-4">{formatFullDateTime(new Date(expected_at), mine)}</td>}
            <td className="py-1">{formatTimeOrDateTime(new Date(deadline_at), mine, getCurrentTime())}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the names of the time zone at these times. Two names mean that the clocks change between them. */
function zoneNames({ data }: Preview): readonly string[] {
  return [...new Set(data.map(({ expected_at_local: local }) => local.split(' ').at(-1) ?? ''))];
}
