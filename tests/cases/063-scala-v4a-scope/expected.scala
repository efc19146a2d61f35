package shop.cart

import java.time.Instant

import cats.syntax.all._
import cats.effect.IO

final case class LineItem(sku: String, quantity: Int, price: BigDecimal) {
  def total: BigDecimal = price * quantity
}

final case class Cart(
    id: Cart.Id,
    items: List[LineItem],
    coupon: Option[Coupon],
    updatedAt: Instant
) {
  def subtotal: BigDecimal = items.map(_.total).sum

  def total: BigDecimal =
    coupon match {
      case Some(Coupon.Percent(p)) => subtotal * (100 - p) / 100
      case Some(Coupon.Fixed(a))   => (subtotal - a).max(0)
      case None                    => subtotal
    }

  def isEmpty: Boolean = items.isEmpty
}

object Cart {
  final case class Id(value: String) extends AnyVal

  def empty(id: Id, now: Instant): Cart =
    Cart(id, Nil, None, now)
}

sealed trait Coupon

object Coupon {
  final case class Percent(percent: Int) extends Coupon
  final case class Fixed(amount: BigDecimal) extends Coupon
  case object FreeShipping extends Coupon
}

final class CartService(store: CartStore, clock: IO[Instant]) {
  def add(id: Cart.Id, item: LineItem): IO[Cart] =
    for {
      now  <- clock
      cart <- store.get(id)
      next = cart.copy(items = item :: cart.items, updatedAt = now)
      _    <- store.put(next)
    } yield next

  def remove(id: Cart.Id, sku: String): IO[Cart] =
    for {
      now  <- clock
      cart <- store.get(id)
      _    <- IO.raiseUnless(cart.items.exists(_.sku == sku))(NoSuchItem(sku))
      next = cart.copy(items = cart.items.filterNot(_.sku == sku), updatedAt = now)
      _    <- store.put(next)
    } yield next

  def redeem(id: Cart.Id, coupon: Coupon): IO[Cart] =
    for {
      now  <- clock
      cart <- store.get(id)
      next = cart.copy(coupon = coupon.some, updatedAt = now)
      _    <- store.put(next)
    } yield next
}
