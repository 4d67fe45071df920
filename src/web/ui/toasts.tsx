import { Notification, Portal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Toast } from './toast.ts';
import { closeToast, toastMs, toastStore } from './toast.ts';

/** The toasts in the lower right corner. */
export function Toasts() {
  const { toasts } = useStore(toastStore);
  return (
    <Portal>
      <div className="fl-toasts">
        {toasts.map((toast) => (
          <ShownToast key={toast.id} {...toast} />
        ))}
      </div>
    </Portal>
  );
}

/** One of them; it waits while somebody points at it or is in it. */
function ShownToast({ id, tone, text }: Toast) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => closeToast(id), toastMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <Notification
      color={tone === 'success' ? 'teal' : 'red'}
      withBorder
      className={`fl-toast fl-toast-${tone}`}
      closeButtonProps={{ 'aria-label': 'Close message' }}
      onClose={() => closeToast(id)}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {text}
    </Notification>
  );
}
