package api

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"strconv"

	"github.com/acme/ledger/internal/store"
)

var (
	errInvalidID     = errors.New("invalid account id")
	errInvalidAmount = errors.New("amount must be positive")
)

// Server wires the HTTP routes to the account store.
type Server struct {
	store  store.Store
	logger *log.Logger
	mux    *http.ServeMux
}

type amountRequest struct {
	Amount int64  `json:"amount"`
	Memo   string `json:"memo"`
}

type transferRequest struct {
	To     int64  `json:"to"`
	Amount int64  `json:"amount"`
	Memo   string `json:"memo"`
}

// NewServer builds a Server with all routes registered.
func NewServer(st store.Store, logger *log.Logger) *Server {
	s := &Server{store: st, logger: logger, mux: http.NewServeMux()}
	s.routes()
	return s
}

func (s *Server) routes() {
	s.mux.HandleFunc("GET /accounts", s.handleList)
	s.mux.HandleFunc("GET /accounts/{id}", s.handleGet)
	s.mux.HandleFunc("POST /accounts/{id}/deposit", s.handleDeposit)
	s.mux.HandleFunc("POST /accounts/{id}/withdraw", s.handleWithdraw)
	s.mux.HandleFunc("POST /accounts/{id}/transfer", s.handleTransfer)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

func (s *Server) handleList(w http.ResponseWriter, r *http.Request) {
	accounts, err := s.store.List(r.Context())
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	s.reply(w, http.StatusOK, accounts)
}

func (s *Server) handleGet(w http.ResponseWriter, r *http.Request) {
	id, err := accountID(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	acc, err := s.store.Get(r.Context(), id)
	if err != nil {
		s.fail(w, statusOf(err), err)
		return
	}
	s.reply(w, http.StatusOK, acc)
}

func (s *Server) handleDeposit(w http.ResponseWriter, r *http.Request) {
	id, err := accountID(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	var req amountRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	if req.Amount <= 0 {
		s.fail(w, http.StatusBadRequest, errInvalidAmount)
		return
	}

	acc, err := s.store.Deposit(r.Context(), id, req.Amount, req.Memo)
	if err != nil {
		s.fail(w, statusOf(err), err)
		return
	}
	s.reply(w, http.StatusOK, acc)
}

func (s *Server) handleWithdraw(w http.ResponseWriter, r *http.Request) {
	id, err := accountID(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	var req amountRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	if req.Amount <= 0 {
		s.fail(w, http.StatusBadRequest, errInvalidAmount)
		return
	}

	acc, err := s.store.Withdraw(r.Context(), id, req.Amount, req.Memo)
	if err != nil {
		s.fail(w, statusOf(err), err)
		return
	}
	s.reply(w, http.StatusOK, acc)
}

func (s *Server) handleTransfer(w http.ResponseWriter, r *http.Request) {
	id, err := accountID(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	var req transferRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	if req.Amount <= 0 {
		s.fail(w, http.StatusBadRequest, errInvalidAmount)
		return
	}

	tx, err := s.store.Transfer(r.Context(), id, req.To, req.Amount, req.Memo)
	if err != nil {
		s.fail(w, statusOf(err), err)
		return
	}
	s.reply(w, http.StatusCreated, tx)
}

// reply writes v as JSON with the given status.
func (s *Server) reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.logger.Printf("encode response: %v", err)
	}
}

func (s *Server) noContent(w http.ResponseWriter) {
	w.WriteHeader(http.StatusNoContent)
}

// fail writes an error body and logs server-side failures.
func (s *Server) fail(w http.ResponseWriter, status int, err error) {
	if status >= http.StatusInternalServerError {
		s.logger.Printf("internal error: %v", err)
	}
	s.reply(w, status, map[string]string{"error": err.Error()})
}

// accountID reads the {id} path value.
func accountID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, errInvalidID
	}
	return id, nil
}

// statusOf maps store errors to HTTP status codes.
func statusOf(err error) int {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, store.ErrInsufficientFunds):
		return http.StatusConflict
	default:
		return http.StatusInternalServerError
	}
}
