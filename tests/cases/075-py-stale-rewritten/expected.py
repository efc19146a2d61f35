"""Order lifecycle: placing, paying, cancelling and refunding orders."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from decimal import Decimal

from shop.db import Session
from shop.errors import InvalidState, NotFound
from shop.models import Order, OrderLine, Payment
from shop.notify import Mailer

log = logging.getLogger(__name__)

CANCEL_WINDOW = timedelta(hours=24)
REFUND_WINDOW = timedelta(days=30)
MAX_LINES = 200


class OrderService:
    """Coordinates orders between the database, the gateway and the mailer."""

    def __init__(self, session: Session, mailer: Mailer, gateway, clock=datetime.utcnow):
        self.session = session
        self.mailer = mailer
        self.gateway = gateway
        self.clock = clock

    # -- queries ---------------------------------------------------------

    def get(self, order_id: int) -> Order:
        order = self.session.get(Order, order_id)
        if order is None:
            raise NotFound(f"order {order_id}")
        return order

    def list_for_customer(self, customer_id: int, limit: int = 50) -> list[Order]:
        query = self.session.query(Order).filter_by(customer_id=customer_id)
        query = query.order_by(Order.created_at.desc())
        return query.limit(limit).all()

    def list_open(self, limit: int = 50) -> list[Order]:
        query = self.session.query(Order).filter_by(status="open")
        query = query.order_by(Order.created_at.asc())
        return query.limit(limit).all()

    # -- commands --------------------------------------------------------

    def place(self, customer_id: int, items: list[tuple[str, int, Decimal]]) -> Order:
        if not items:
            raise InvalidState("an order needs at least one line")
        if len(items) > MAX_LINES:
            raise InvalidState("too many lines")
        order = Order(customer_id=customer_id, status="open", created_at=self.clock())
        for sku, quantity, price in items:
            order.lines.append(OrderLine(sku=sku, quantity=quantity, unit_price=price))
        order.total = self._total(order)
        self.session.add(order)
        self.session.commit()
        log.info("order %s placed by customer %s", order.id, customer_id)
        return order

    def pay(self, order_id: int, token: str) -> Payment:
        order = self.get(order_id)
        if order.status != "open":
            raise InvalidState(f"order {order_id} is {order.status}")
        charge = self.gateway.charge(token, order.total)
        payment = Payment(order_id=order.id, amount=order.total, reference=charge.id)
        order.status = "paid"
        order.updated_at = self.clock()
        self.session.add(payment)
        self.session.commit()
        self._send_receipt(order)
        log.info("order %s paid", order.id)
        return payment

    def cancel(self, order_id: int, reason: str = "") -> Order:
        order = self.get(order_id)
        if order.status not in ("open", "held"):
            raise InvalidState(f"order {order_id} is {order.status}")
        if self.clock() - order.created_at > CANCEL_WINDOW:
            raise InvalidState("the cancellation window has passed")
        order.status = "cancelled"
        order.updated_at = self.clock()
        order.note = reason
        self.session.commit()
        self.mailer.send(order.customer.email, "order-cancelled", order=order)
        log.info("order %s cancelled", order.id)
        return order

    def hold(self, order_id: int, reason: str = "") -> Order:
        order = self.get(order_id)
        if order.status not in ("open", "paid"):
            raise InvalidState(f"order {order_id} is {order.status}")
        order.status = "held"
        order.updated_at = self.clock()
        order.note = reason
        self.session.commit()
        self.mailer.send(order.customer.email, "order-held", order=order)
        log.info("order %s held", order.id)
        return order

    def refund(self, order_id: int, reason: str = "") -> Order:
        order = self.get(order_id)
        if order.status not in ("paid", "shipped"):
            raise InvalidState(f"order {order_id} is {order.status}")
        if self.clock() - order.created_at > REFUND_WINDOW:
            raise InvalidState("the refund window has passed")
        payment = self._payment_for(order)
        self.gateway.refund(payment.reference, payment.amount)
        order.status = "refunded"
        order.updated_at = self.clock()
        order.note = reason
        self.session.commit()
        self.mailer.send(order.customer.email, "order-refunded", order=order)
        self._send_receipt(order)
        log.info("order %s refunded", order.id)
        return order

    def ship(self, order_id: int, carrier: str, tracking: str) -> Order:
        order = self.get(order_id)
        if order.status != "paid":
            raise InvalidState(f"order {order_id} is {order.status}")
        order.carrier = carrier
        order.tracking = tracking
        order.status = "shipped"
        order.updated_at = self.clock()
        self.session.commit()
        self.mailer.send(order.customer.email, "order-shipped", order=order)
        log.info("order %s shipped with %s", order.id, carrier)
        return order

    # -- helpers ---------------------------------------------------------

    def _total(self, order: Order) -> Decimal:
        total = Decimal("0")
        for line in order.lines:
            total += line.unit_price * line.quantity
        return total

    def _payment_for(self, order: Order) -> Payment:
        payment = self.session.query(Payment).filter_by(order_id=order.id).first()
        if payment is None:
            raise NotFound(f"payment for order {order.id}")
        return payment

    def _send_receipt(self, order: Order) -> None:
        lines = [f"{line.quantity} x {line.sku}" for line in order.lines]
        self.mailer.send(
            order.customer.email,
            "receipt",
            order=order,
            lines=lines,
        )


def expire_stale(service: OrderService, older_than: timedelta) -> int:
    """Cancel open orders that nobody paid; returns how many."""
    cutoff = service.clock() - older_than
    stale = [order for order in service.list_open(limit=1000) if order.created_at < cutoff]
    for order in stale:
        order.status = "expired"
        order.updated_at = service.clock()
    service.session.commit()
    return len(stale)


def summarize(orders: list[Order]) -> dict[str, Decimal]:
    """Total per status, for the daily report."""
    totals: dict[str, Decimal] = {}
    for order in orders:
        totals.setdefault(order.status, Decimal("0"))
        totals[order.status] += order.total
    return totals
