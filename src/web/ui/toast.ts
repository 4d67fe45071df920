import { notifications } from '@mantine/notifications';

/** How long a toast stays, in ms. */
export const toastMs = 2000;

/** Shows the result of an action for two seconds. */
export function showToast(tone: 'success' | 'error', message: string): void {
  notifications.show({
    message,
    autoClose: toastMs,
    color: tone === 'success' ? 'teal' : 'red',
    withBorder: true,
    className: `fl-toast fl-toast-${tone}`,
    closeButtonProps: { 'aria-label': 'Close message' },
  });
}
