import { note, noteBody } from '@floe/contract/api/charts';
import { writeVerb } from '../verb.ts';

/** The audit action that a note is kept under. */
export const NOTE = 'notes.create';

/** Writes down that something happened now, for charts to show: a deployment, an outage elsewhere. */
export const createNote = writeVerb({
  name: NOTE,
  method: 'POST',
  path: '/api/analytics/notes',
  scope: 'management',
  summary: 'Note that something happened now, such as a deployment, for charts to show',
  body: noteBody,
  answer: note,
  status: 201,
  changes: null,
  async run({ clock }, { body: { text } }) {
    const at = new Date(clock.now()).toISOString();
    return { answer: { at, text }, audit: { subject: 'note', before: null, after: { text } } };
  },
});
