import { createUnknownCommandOutput } from './command-output.ts';
import type { CommandInput } from './redirects.ts';

/** Matches programs that can connect a command that they start to the network. */
export const NETWORK_PROGRAM_PATTERN = /^(?:nc|ncat|netcat|socat)$/;

/** The input of a command that is connected to the network. */
export const NETWORK_COMMAND_INPUT: CommandInput = {
  kind: 'pipe',
  printed: createUnknownCommandOutput('data'),
};
