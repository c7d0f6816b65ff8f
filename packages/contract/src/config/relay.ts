import * as z from 'zod';
import { evenWhenBroken, oneOrMany, slug } from './fields.ts';

/** What an agent asks the relay about. */
export const RELAY_EVENTS = ['shell', 'tool', 'prompt', 'file_read', 'file_write'] as const;

const MatchSchema = z.strictObject({
  command: oneOrMany()
    .optional()
    .describe('Shell: name of the command, after wrappers such as `sudo` are removed.'),
  subcommand: oneOrMany().optional().describe('Shell: first argument that is no option.'),
  any_flag: oneOrMany().optional().describe('Shell: any of these options.'),
  server_url: oneOrMany().optional().describe('Tool: address of the connector; `*` matches any characters.'),
  tool: oneOrMany().optional().describe('Tool: name of the tool; `*` matches any characters.'),
  path: oneOrMany().optional().describe('File: path; `*` matches any characters.'),
});

const RuleSchema = z
  .strictObject({
    name: slug().describe('Unique in the org; named in every decision.'),
    on: z.enum(RELAY_EVENTS).describe('Which event the rule reads.'),
    match: MatchSchema.optional().describe('Shape of the event; every given field must match.'),
    when: z.string().min(1).max(4_000).optional().describe('CEL condition beside `match`.'),
    decision: z.enum(['allow', 'deny', 'ask']).describe('The answer when the rule applies.'),
    on_error: z
      .enum(['open', 'closed'])
      .default('open')
      .describe('What the client does when no decision comes in time: carry on, or refuse.'),
    message: z.string().min(1).max(1_000).optional().describe('Shown to the user and the agent.'),
  })
  .superRefine((rule, context) => {
    if (rule.match === undefined && rule.when === undefined)
      context.addIssue({ code: 'custom', path: [], message: 'needs a condition: match, when or both' });
  }, evenWhenBroken);

export const RelaySchema = z.strictObject({
  mode: z
    .enum(['observe', 'enforce'])
    .default('observe')
    .describe('`observe` answers `abstain` and records what the rules would say.'),
  rules: z.array(RuleSchema).default([]).describe('The strictest rule that applies decides.'),
});
