import type { ModalProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { late } from './late.ts';
import { useOpenWindow } from './open-windows.ts';
import { showToast } from './toast.ts';

const modal = late<ModalProps>(async () => (await import('./modal.ts')).Modal);

/** See `Dialog`. */
export interface DialogProps extends Omit<ModalProps, 'zIndex'> {
  stays?: boolean; // it shows what is not shown again: nothing closes it but a button in it
}

/**
 * A window over the page, or over the window before. Its code comes when the first one opens; where it cannot come, that is said and the
 * dialog is closed.
 */
export function Dialog({ opened, stays = false, closeOnEscape = true, ...props }: DialogProps) {
  const Modal = modal.use();
  const [isDrawn, setDrawn] = useState(Modal !== null);
  const { onClose } = props;
  useEffect(() => {
    if (!opened || Modal !== null) return;
    const load = async (): Promise<void> => {
      if (await modal.load()) return;
      showToast('error', 'This could not be opened: the server was not reachable.');
      onClose();
    };
    void load();
    // asked for once with each opening
    // oxlint-disable-next-line react/exhaustive-deps
  }, [opened]);
  // Where it is not drawn any more instead of being closed, the focus returns all the same.
  const from = useRef<Element | null>(null);
  useEffect(() => {
    if (!opened) return undefined;
    from.current = document.activeElement;
    return () => {
      setTimeout(() => {
        if (document.activeElement === document.body && from.current instanceof HTMLElement) from.current.focus({ preventScroll: true });
      });
    };
  }, [opened]);
  // Drawn closed at first: it notes where the focus was when it opens.
  useEffect(() => setDrawn(Modal !== null), [Modal]);
  const isOpen = opened && isDrawn;
  const { zIndex, close } = useOpenWindow({ opened: isOpen, stays, closesOnEscape: closeOnEscape, onClose });
  if (Modal === null) return null;
  return (
    <Modal
      {...props}
      {...(stays ? { withCloseButton: false, closeOnClickOutside: false } : {})}
      opened={isOpen}
      onClose={close}
      closeOnEscape={false} // see `useOpenWindow`
      zIndex={zIndex}
    />
  );
}
