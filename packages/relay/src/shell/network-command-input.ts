import { createUnknownCommandOutput } from './command-output.ts';
import type { CommandInput } from './shell-word.ts';

/** Matches the names of programs that can start a command and connect its input and output to the network. */
export const NETWORK_PROGRAM_PATTERN = /^(?:nc|ncat|netcat|socat)$/;

/** The input of a command that is connected to the network. */
export const NETWORK_COMMAND_INPUT: CommandInput = {
  kind: 'pipe',
  printed: createUnknownCommandOutput('data'),
};
