import { createStore } from 'zustand';

/** The result of an action, shown for a moment. */
export interface Toast {
  id: number;
  tone: 'success' | 'error';
  text: string;
}

/** How long a toast stays, in ms. */
export const toastMs = 2000;

/** How many are shown at once; the oldest goes first. */
const mostToasts = 5;

/** What is shown now, oldest first. */
export const toastStore = createStore<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

let shownSoFar = 0;

/** Shows the result of an action for two seconds, with a second line where `detail` says something else. */
export function showToast(tone: Toast['tone'], message: string, detail: string | null = null): void {
  shownSoFar += 1;
  const toast = { id: shownSoFar, tone, text: detail === null || detail === message ? message : `${message}\n${detail}` };
  toastStore.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-mostToasts) }));
}

/** Takes a toast away, by a person or because its time is over. */
export function closeToast(id: number): void {
  toastStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}
