import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Button } from './button.tsx';

/** See `ConfirmDialog`. */
export interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  message: ReactNode;
  children?: ReactNode; // facts or a warning below the message
  confirmLabel?: string;
  cancelLabel?: string;
  destructive?: boolean;
  loading?: boolean;
  confirmDisabled?: boolean; // something is missing yet
  wide?: boolean; // room for two columns
  note?: string; // what happens afterwards, beside the buttons
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something happens. The focus starts on cancel, so that Enter does nothing by accident. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    opened,
    title,
    message,
    children,
    confirmLabel = 'Confirm',
    cancelLabel = 'Cancel',
    destructive = false,
    loading = false,
    confirmDisabled = false,
    wide = false,
    note,
  } = props;
  return (
    <Dialog opened={opened} onClose={props.onCancel} title={title} size={wide ? 680 : 'sm'} classNames={{ content: 'fl-dialog' }}>
      <p className="fl-dialog-message">{message}</p>
      {children}
      <div className="fl-dialog-actions">
        {note === undefined ? null : <p className="fl-dialog-note">{note}</p>}
        <Button variant="secondary" onClick={props.onCancel} data-autofocus>
          {cancelLabel}
        </Button>
        <Button variant={destructive ? 'destructive' : 'primary'} onClick={props.onConfirm} loading={loading} disabled={confirmDisabled}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
