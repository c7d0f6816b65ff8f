import * as z from 'zod';
import { createFilteredQuerySchema } from './analytics.ts';

/** The topics of `GET /api/events`. */
export const EVENT_STREAM_TOPICS = [
  'requests',
  'monitors',
  'breakers',
  'budgets',
  'limits',
  'alerts',
  'approvals',
  'config',
] as const;
export type EventStreamTopic = (typeof EVENT_STREAM_TOPICS)[number];

const topics = z
  .string()
  .max(200)
  .default('requests')
  .refine((text) => text.split(',').every((name) => EVENT_STREAM_TOPICS.some((topic) => topic === name)), {
    error: `must be one or more of these topics, separated by commas: ${EVENT_STREAM_TOPICS.join(', ')}`,
  })
  .describe(`Comma-separated topics to receive: ${EVENT_STREAM_TOPICS.join(', ')}.`);

/**
 * The query of `GET /api/events`. The request list's filters apply only to the topic `requests`.
 */
export const eventStreamQuery = createFilteredQuerySchema({ topics });
