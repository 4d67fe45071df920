import { api } from '../api/api.ts';
import { DeliveryTest } from './delivery-test.tsx';
import type { Strategy } from './strategy-fields.ts';

/** See `ChatTest` and `SheetTest`. */
export interface IntegrationTestProps {
  strategy: Strategy;
  isPending: boolean; // another webhook or key was typed and not saved
  reload: () => Promise<void>;
}

/** A test message to the chat of a strategy, and how the last one went. */
export function ChatTest({ strategy, isPending, reload }: IntegrationTestProps) {
  return (
    <DeliveryTest
      action="Send Test Message"
      what="message"
      delivered="delivered"
      result={strategy.webhook_result}
      obstacle={isPending ? 'Save the webhook first' : null}
      noTarget={strategy.encrypted_webhook === null ? 'No webhook is set' : null}
      send={() => api.testWebhook({ params: { id: strategy.id } })}
      reload={reload}
    />
  );
}

/** A test row in the spreadsheet of a strategy, how the last one went, and whom the spreadsheet has to be shared with. */
export function SheetTest({ strategy, isPending, reload }: IntegrationTestProps) {
  const { sheet_account: account } = strategy;
  if (account === null) {
    return <p className="strategy-hint strategy-access">Rows are not written: this server has no access to Google spreadsheets.</p>;
  }
  return (
    <>
      <DeliveryTest
        action="Send Test Row"
        what="row"
        delivered="written"
        result={strategy.sheet_result}
        obstacle={isPending ? 'Save the sheets key first' : null}
        noTarget={strategy.encrypted_sheets_key === null ? 'No sheets key is set' : null}
        send={() => api.testSheet({ params: { id: strategy.id } })}
        reload={reload}
      />
      <p className="strategy-hint strategy-access">
        Share the spreadsheet with <b>{account}</b> as editor.
      </p>
    </>
  );
}
