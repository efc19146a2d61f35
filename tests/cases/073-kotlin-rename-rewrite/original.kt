package club.ranking

import java.time.Duration
import java.time.Instant

/** Elo ratings of a chess club. */
class Ranking(
    private val players: PlayerStore,
    private val k: Int = 24,
) {
    fun record(white: PlayerId, black: PlayerId, result: Result): Pair<Player, Player> {
        val first = players.get(white)
        val second = players.get(black)
        val expected = expected(first.rating, second.rating)
        val score = when (result) {
            Result.WHITE -> 1.0
            Result.BLACK -> 0.0
            Result.DRAW -> 0.5
        }
        val change = (k * (score - expected)).toInt()
        val updatedFirst = first.copy(rating = first.rating + change)
        val updatedSecond = second.copy(rating = second.rating - change)
        players.put(updatedFirst)
        players.put(updatedSecond)
        return updatedFirst to updatedSecond
    }

    fun top(count: Int): List<Player> =
        players.all()
            .filter { it.games >= 10 }
            .sortedByDescending { it.rating }
            .take(count)

    fun inactive(since: Duration, now: Instant): List<Player> =
        players.all()
            .filter { Duration.between(it.lastGame, now) > since }
            .sortedBy { it.lastGame }

    private fun expected(own: Int, other: Int): Double =
        1.0 / (1.0 + Math.pow(10.0, (other - own) / 400.0))
}

enum class Result { WHITE, BLACK, DRAW }

data class Player(
    val id: PlayerId,
    val name: String,
    val rating: Int = 1200,
    val games: Int = 0,
    val lastGame: Instant = Instant.EPOCH,
)

@JvmInline
value class PlayerId(val value: Long)

interface PlayerStore {
    fun get(id: PlayerId): Player
    fun put(player: Player)
    fun all(): List<Player>
}
