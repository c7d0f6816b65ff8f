import * as z from 'zod';
import { filteredQuery } from './analytics.ts';

/** What `GET /api/events` tells of. */
export const TOPICS = [
  'requests',
  'monitors',
  'breakers',
  'budgets',
  'limits',
  'alerts',
  'approvals',
  'config',
] as const;
export type Topic = (typeof TOPICS)[number];

const topics = z
  .string()
  .max(200)
  .default('requests')
  .refine((text) => text.split(',').every((name) => TOPICS.some((topic) => topic === name)), {
    error: `is a list of ${TOPICS.join(', ')} with commas between them`,
  })
  .describe(`Any of ${TOPICS.join(', ')}, with commas between them.`);

/** The filters of the request list narrow the topic `requests`; the others are told whole. */
export const eventsQuery = filteredQuery({ topics });
