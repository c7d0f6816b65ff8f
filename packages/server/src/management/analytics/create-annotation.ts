import { annotationCreation, createdAnnotation } from '@floe/contract/api/annotations';
import { defineWriteOperation } from '../operation.ts';

/** The audit action that is recorded when an annotation is created. */
export const ANNOTATION_AUDIT_ACTION = 'annotations.create';

/**
 * The operation that creates an annotation at the current time, for example for a deployment. Charts show the
 * annotation.
 */
export const createAnnotationOperation = defineWriteOperation({
  name: ANNOTATION_AUDIT_ACTION,
  method: 'POST',
  path: '/api/analytics/annotations',
  scope: 'management',
  summary: 'Add an annotation, such as a deployment, at the current time; charts show the annotation',
  body: annotationCreation,
  answer: createdAnnotation,
  status: 201,
  invalidates: null,
  async run({ clock }, { body: { text } }) {
    const at = new Date(clock.now()).toISOString();
    return { answer: { at, text }, audit: { subject: 'note', before: null, after: { text } } };
  },
});
