<?php

declare(strict_types=1);

namespace App\Invoice;

use App\Customer\CustomerRepository;
use App\Mail\Mailer;
use App\Pdf\Renderer;
use DateTimeImmutable;
use Psr\Log\LoggerInterface;
use RuntimeException;

/**
 * Draws up invoices, sends them, and reminds of those that are overdue.
 */
final class InvoiceService
{
    private const REMINDER_DAYS = 14;
    private const MAX_REMINDERS = 3;

    public function __construct(
        private readonly InvoiceRepository $invoices,
        private readonly CustomerRepository $customers,
        private readonly Mailer $mailer,
        private readonly Renderer $renderer,
        private readonly LoggerInterface $logger,
    ) {
    }

    /**
     * @param list<Position> $positions
     */
    public function draft(int $customerId, array $positions): Invoice
    {
        $customer = $this->customers->get($customerId);
        if ($customer === null) {
            throw new RuntimeException("no customer $customerId");
        }

        $invoice = new Invoice($customer, $positions, new DateTimeImmutable());
        $this->invoices->save($invoice);
        $this->logger->info('invoice drafted', ['id' => $invoice->id()]);

        return $invoice;
    }

    public function send(Invoice $invoice): void
    {
        $pdf = $this->renderer->render('invoice.html', ['invoice' => $invoice]);
        $this->mailer->send($invoice->customer()->email(), 'Your invoice', $pdf);
        $invoice->markSent(new DateTimeImmutable());
        $this->invoices->save($invoice);
        $this->logger->info('invoice sent', ['id' => $invoice->id()]);
    }

    public function remind(Invoice $invoice): void
    {
        if ($invoice->reminders() >= self::MAX_REMINDERS) {
            $this->logger->warning('too many reminders', ['id' => $invoice->id()]);
            return;
        }

        if ($invoice->customer()->blocked()) {
            $this->logger->warning('blocked', ['id' => $invoice->id()]);
            return;
        }

        $pdf = $this->renderer->render('reminder.html', ['invoice' => $invoice]);
        $this->mailer->send($invoice->customer()->email(), 'A reminder', $pdf);
        $invoice->markReminded(new DateTimeImmutable());
        $this->invoices->save($invoice);
        $this->logger->info('reminder sent', ['id' => $invoice->id()]);
    }

    /**
     * @return list<Invoice>
     */
    public function overdue(DateTimeImmutable $now): array
    {
        $before = $now->modify('-' . self::REMINDER_DAYS . ' days');

        return $this->invoices->unpaidBefore($before);
    }
}
