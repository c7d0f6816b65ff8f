import * as z from 'zod';
import { createFilteredQuery } from './analytics.ts';

/** The topics of `GET /api/events`. */
export const EVENT_TOPICS = [
  'requests',
  'monitors',
  'breakers',
  'budgets',
  'limits',
  'alerts',
  'approvals',
  'config',
] as const;
export type EventTopic = (typeof EVENT_TOPICS)[number];

const topics = z
  .string()
  .max(200)
  .default('requests')
  .refine((text) => text.split(',').every((name) => EVENT_TOPICS.some((topic) => topic === name)), {
    error: `must be a comma-separated list of ${EVENT_TOPICS.join(', ')}`,
  })
  .describe(`Comma-separated topics to receive: ${EVENT_TOPICS.join(', ')}.`);

/**
 * The query of `GET /api/events`. The request list's filters apply only to the topic `requests`.
 */
export const eventsQuery = createFilteredQuery({ topics });
