import * as z from 'zod';
import { chartRangeQueryFields, timeCoverageFields } from './chart-range.ts';
import { timestamp } from './page.ts';

export const analyticsAnnotationsQuery = z.strictObject({
  ...chartRangeQueryFields,
  about: z
    .enum(['traffic'])
    .optional()
    .describe(
      '`traffic` returns only events that can affect requests: configuration changes, breaker state changes and annotations. It does not return alerts.',
    ),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(200)
    .describe('Maximum number of entries in `data`.'),
});

/** The request to create a note about an event, such as a deployment, that charts should show. */
export const annotationCreation = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Text of the annotation, such as `web 4.2 deployed`. The audit log records this text.'),
});

/** A note about an event. Charts show the note at the time of the event. */
export const createdAnnotation = z
  .strictObject({ at: timestamp, text: z.string() })
  .meta({ id: 'Annotation' });

/** Events to show in charts, newest first. */
export const analyticsAnnotations = z
  .strictObject({
    ...timeCoverageFields,
    data: z.array(
      z.strictObject({
        at: timestamp,
        kind: z.enum(['change', 'alert', 'breaker', 'note']),
        text: z.string(),
        actor: z
          .string()
          .nullable()
          .describe(
            'Actor that made the change or created the annotation: a key id, a member id, `file`, `setup`, `cli`, `sign-in` or `oidc <issuer>`. `null` for alerts and breaker state changes.',
          ),
        actor_name: z.string().nullable(),
        subject: z.strictObject({ kind: z.string(), id: z.string(), name: z.string() }),
      }),
    ),
    has_more: z.boolean().describe('Whether there are more entries than `limit`.'),
  })
  .meta({ id: 'AnalyticsAnnotations' });
