import { notifications } from '@mantine/notifications';

/** How long a toast stays, in ms. */
export const toastMs = 2000;

/** Shows the result of an action for two seconds, with a second line where `detail` says something else. */
export function showToast(tone: 'success' | 'error', message: string, detail: string | null = null): void {
  notifications.show({
    message: detail === null || detail === message ? message : `${message}\n${detail}`,
    autoClose: toastMs,
    color: tone === 'success' ? 'teal' : 'red',
    withBorder: true,
    className: `fl-toast fl-toast-${tone}`,
    closeButtonProps: { 'aria-label': 'Close message' },
  });
}
