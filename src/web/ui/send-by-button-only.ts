import type { KeyboardEvent } from 'react';

/** Keeps Enter in a field from sending its form: where money is at stake it is sent by its button alone. */
export function sendByButtonOnly(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}
